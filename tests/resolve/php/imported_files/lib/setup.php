<?php
// imports -> lib/plain.php
include "plain.php";
