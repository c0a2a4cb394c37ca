<?php
namespace Shop\Parts;
function sum() {}
