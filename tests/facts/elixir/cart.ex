defmodule Shop.Cart do
  #       ^ def module Shop.Cart

  @moduledoc """
  What a customer wants
  to buy.

  Not for sale.
  """
  use GenServer, restart: :temporary
  import Ecto.Query, only: [from: 2, where: 3]
  import Shop.Helpers
  alias Shop.{Item, Price}
  alias Shop.Order, as: O
  #                     ^ import Shop Order
  alias Shop.Customer
  require Logger
  @behaviour Shop.Sized

  @limit 10
  #^ def constant Shop.Cart.limit

  @type t :: %__MODULE__{items: list(Item.t())}
  #     ^ def type Shop.Cart.t

  @typep secret(a) :: {a, a}
  @callback price(item :: t, integer) :: integer

  defstruct [:items, total: 0]

  @doc "Puts `item` into the cart."
  # as often as you like
  @spec add(t, Item.t()) :: t
  @impl true
  def add(cart, item \\ nil)
  #   ^ def function Shop.Cart.add

  def add(%{items: items} = cart, item) when is_list(items) do
  #   ^ call
    Logger.info("adding")
    #      ^ member_call
    items |> Enum.map(&to_string/1) |> sum(0)
    #                                  ^ call
    %{cart | items: [item | items]}
  end

  def add(cart, {a, b}, _at), do: cart

  # Sums up.
  defp sum([], acc), do: acc
  #    ^ def function Shop.Cart.sum
  defp sum([head | tail], acc), do: sum(tail, acc + head + @limit)
  #                                                         ^ name

  def zero, do: 0
  def guarded when 1 > 0, do: 1

  @doc ~S"""
  Quotes it.
  """
  defmacro when_ok(do: block) do
    quote do: unquote(block)
  end

  defguard is_positive(x) when is_integer(x) and x > 0
  #        ^ def macro Shop.Cart.is_positive

  defdelegate size(cart), to: Map
  def a <<< b, do: {a, b}

  # A sign after a name is part of it, and no comma of a binary parts parameters.
  defp walk([nil | rest], fun, true), do: walk(rest, fun, true)
  defp walk([item | rest], skip?, fun), do: [fun.(item) | walk(rest, skip?, fun)]
  defp walk(<<hour::2-bytes, ?:, rest::binary>>, ?,, fun), do: fun.(hour, rest)

  defmodule Inner do
    #       ^ def module Shop.Cart.Inner

    def run(fun), do: fun.(fn x -> x.name end)
    #   ^ def function Shop.Cart.Inner.run
  end
end

defprotocol Size do
  #         ^ def interface Size

  @doc "How large it is."
  def size(data)
end

defimpl Size, for: BitString do
  #     ^ type

  def size(text), do: byte_size(text)
  #   ^ def function Size.size
end
