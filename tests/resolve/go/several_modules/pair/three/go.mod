module three.org/three
