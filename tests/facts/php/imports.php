<?php

namespace App;

use Doctrine\ORM\Mapping as ORM;
use Framework\{Router, Http\Request as Req, function route, const DEBUG};
use function Text\slug, Text\trim as cut;
use const Text\EMPTY_TEXT;
use Closure;

require 'config.php';
require_once __DIR__ . '/helpers.php';
include_once('more.php');
include dirname(__FILE__) . '/old.php';
include $name;
require "parts/$name.php";

#[ORM\Entity]
//^ import Doctrine\ORM Mapping
//    ^ member

class Page extends Router\Base
//                 ^ import Framework Router
{
    public function show(Req $request, Closure $next): ?\Framework\Response
    //                   ^ import Framework\Http Request
    //                                 ^ import Closure Closure
    //                                                   ^ member
    {
        if (DEBUG) {
        //  ^ import Framework DEBUG
            return route(slug(EMPTY_TEXT), cut('x'), \strlen('y'), namespace\local());
            //     ^ import Framework route
            //           ^ import Text slug
            //                ^ import Text EMPTY_TEXT
            //                             ^ import Text trim
            //                                        ^ member
        }
        $$name = 1;
        ${'a' . $name} = 2;
        $this->$name;
        $this->{'x' . $name}();
        $next->run()->{$name}();
        Router::$name();
        //^ import Framework Router
        new $name(1);
        $next('x');
        $name::make();
        call_user_func([$this, 'show'], 1);
        compact('request');
        constant('App\X');
        eval('1;');
        new ReflectionClass('App\Page');
    }

    public function later(Page\Part $part, Page $page) {}
    //                    ^ unknown
    //                                     ^ -> 22
}

namespace Other;

use Framework\Router as Page;

new Page;
//  ^ import Framework Router
new Router;
//  ^ unknown
