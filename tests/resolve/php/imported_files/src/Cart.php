<?php
// imports -> src/Item.php, src/functions.php, lib/setup.php
namespace Shop;
use Shop\Parts\Item;
use function Shop\Parts\sum;
require_once __DIR__ . '/../lib/setup.php';
class Cart { function f(Item $i) { return sum(); } }
