<?php
class Base {
    public function go() {}
    public function own() {}
    public function make() {
        $this->own();
        //     ^ -> #Base.own
        $made = new class(1) extends Base {
            public $part;
            public function own() {
                $this->go();
                //     ^ -> #Base.go
                $this->own();
                //     ^ -> #Base.make.own
                parent::own();
                //      ^ -> #Base.own
                $this->part;
                //     ^ -> #Base.make.part
            }
        };
        $made->own();
        //     ^ -> #Base.make.own
        $made->go();
        //     ^ -> #Base.go
    }
}
