{-# LANGUAGE GADTs #-}
-- | Shapes and their areas.
module Data.Shapes
  ( Shape (..)
  , Named
  , HasArea (..)
  , area
  , (<+>)
  , module Data.Points
  ) where

import Data.Char
import qualified Data.Map.Strict as M
--                                  ^ import Data.Map.Strict Data.Map.Strict
import Data.List (sortBy, Foo (..), Bar (Baz))
--                ^ import Data.List sortBy
--                                       ^ import Data.List Baz
import Prelude hiding (lookup)

-- | A shape on the plane.
--
-- There are few.
data Shape a
--   ^ def struct Shape
  = Circle
      { radius :: !Double
--      ^ def field Shape.Circle.radius
      , cx, cy :: Int -- ^ the centre
      }
  | Square Double -- ^ with equal sides
--  ^ def constructor Shape.Square
  | Int :+ Int
  deriving (Show, Eq)

newtype Id = Id {unId :: Int}

type Name = String
--   ^ def type Name

{-| What has
    an area. -}
class Show a => HasArea a where
--              ^ def trait HasArea

    -- | The area.
    areaOf :: a -> Double
--  ^ def method HasArea.areaOf
    areaOf _ = 0
    type Elem a

instance HasArea (Shape b) where
    areaOf (Circle r _ _) = pi * r
--  ^ def method Shape.areaOf
    areaOf (Square s) = s * s

instance HasArea [a] where
    areaOf = sum . map areaOf
--  ^ def method HasArea.areaOf

-- | The area of a shape,
-- in square units.
area ::
  Shape a -> -- ^ the shape
  Double
{-# INLINE area #-}
area s = go s 0
-- ^ name
--       ^ call
  where
    go x 0 = M.size x `max` areaOf x
--  ^ def function area.go
--             ^ member_call
--                     ^ call
    go x n = n
    local = 1
--  ^ name

hidden, secret :: Int
hidden = 3
-- ^ name
secret = 4

(<+>) :: Int -> Int -> Int
a <+> b = a + b

-- ------------------------------------
-- Helpers
-- ------------------------------------

factorial 0 = 1
factorial n
  | n > 1 = n * factorial (n - 1)
  | otherwise = let y = 2 in y

x `plus` y = x

pattern Two :: Int
pattern Two = 2

data G a where
  GInt, GBool :: Int -> G Int

foreign import ccall "sin" c_sin :: Double -> Double

main :: IO ()
main = do
  line <- getLine
  print (\q -> q {radius = 1})
--                ^ label
