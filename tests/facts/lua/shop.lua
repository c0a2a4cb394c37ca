#!/usr/bin/env lua
--- Carts of a small shop.
local cjson = require("cjson.safe")
--    ^ import cjson.safe cjson.safe
local format = require("string").format
--    ^ import string format
require "shop.boot"

local M = {}
--    ^ def variable M

local LIMIT <const>, _step = 10, 1
--    ^ def variable LIMIT

local pending

M.version = "1.0"
-- ^ def field M.version

--- Adds two amounts.
-- Both are in cents.
--
-- @param a the first
-- @return their sum
local function add(a, b, ...)
--             ^ def function add
  local total = a + b
--      ^ name
  return total
end

---@param cart table
---@return number
function M.area(cart)
--       ^ name
--         ^ def function M.area
  return cart.w * cart.h
--            ^ member
end

-- Makes a cart larger.
function M:grow(by)
--         ^ def method M.grow
  self.w = add(self.w, by)
--         ^ call

  local function inner() return by end
--               ^ def function M.grow.inner
  return inner()
end

function M.deep.nested.run() end
--                     ^ def function M.deep.nested.run

function global_helper() end

M.on_change = function(event) print(event) end
-- ^ def function M.on_change

local callback = function() end
--    ^ def function callback

counter = 0

local handlers = {
  name = "cart",
--^ label

  open = function(self) self.state = 1 end,
--^ def function handlers.open
  ["close"] = function() end,
}

for _, item in ipairs(M.items) do
  if item.gone then goto continue end
--                       ^ label
  item:update { name = item.name }:commit "now"
--     ^ member_call
  ::continue::
end

return M
