<?php
function helper() {}
define('VERSION', '1');
