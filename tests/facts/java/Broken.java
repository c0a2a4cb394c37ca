package org.example;

public class Broken {
    int kept = 1;

    void first( {
        int local = kept;
    }

    void second() {
        int x = ;
        kept = x;
        //     ^ -> 11
    }

    int third() {
        return kept
    }
