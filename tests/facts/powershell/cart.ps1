# Carts of a small shop.
using module ./Item.psm1

<# What can be priced. #>
class Cart : Base {
#     ^ def class Cart
    [int] $Total = 0
#         ^ def field Cart.Total
    hidden [string] $Name
#                   ^ def field Cart.Name

    Cart([int] $start) {
#   ^ def method Cart.Cart
        $this.Total = $start
    }

    [int] Add([int] $count) {
#         ^ def method Cart.Add
        return $this.Total + $count
    }
}

enum Color {
#    ^ def enum Color
    Red
#   ^ def enum_member Color.Red
    Green = 2
#   ^ def enum_member Color.Green
}

# Gets the total.
function Get-Total {
#        ^ def function Get-Total
    param(
        [Cart] $Cart
    )
    $Cart.Total
}

filter Measure-Cart($Each) { $Each }
#      ^ def function Measure-Cart

function script:Set-Limit([int] $Limit) {
#        ^ def function script:Set-Limit
    Get-Total $Limit
}
