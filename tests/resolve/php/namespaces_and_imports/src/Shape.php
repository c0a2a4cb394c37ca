<?php
namespace App\Model;
class Shape {}
class Circle extends Shape {}
function area() {}
const SIDES = 4;
