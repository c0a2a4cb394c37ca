<?php
namespace Shop\Parts;
class Item {}
