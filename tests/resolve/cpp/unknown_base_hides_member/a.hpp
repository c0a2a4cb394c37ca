void helper();
struct Known { void own(); };
