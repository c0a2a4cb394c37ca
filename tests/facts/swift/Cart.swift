import Foundation
@testable import struct Shop.Price
//                           ^ import Shop Price

/// What a customer wants to buy.
///
/// Not thread-safe.
@available(iOS 13, *)
@MainActor
public final class Cart<T: Item>: Base, Sizing where T: Equatable {
//                 ^ def class Cart
//                         ^ type
    public private(set) var items: [T] = []
//                          ^ def property Cart.items
    static let limit = 10, step = 2
//             ^ def property Cart.limit
    @Published
    var name: String
    private var count: Int {
        get { items.count }
//                  ^ member
        set { total = newValue }
    }

    /// Makes a cart.
    /// - Parameter label: what it is called
    init(_ size: Int, label name: String = "") throws {
        self.name = name
//           ^ member
    }

    convenience init?() { return nil }

    deinit {}

    /** Puts one more into the cart. */
    @discardableResult
    open func add<U>(_ item: T, to list: inout U) async throws -> Int {
//            ^ def method Cart.add
//                              ^ label
        let before = items.count
//          ^ name
        func inner() -> Int { before }
//           ^ def function Cart.add.inner
        list.append(item, at: inner())
//           ^ member_call
//                        ^ label
//                            ^ call
        return items.map { $0.size }.reduce(0, +)
    }

    subscript(index: Int) -> T { items[index] }

    static func == (left: Cart, right: Cart) -> Bool { true }

    typealias Id = String

    fileprivate struct Inner {
        let depth: Int
//          ^ def property Cart.Inner.depth
    }
}

public enum Kind: String {
    /// The big one.
    case big = "b"
//       ^ def enum_member Kind.big
    case small, tiny
//              ^ def enum_member Kind.tiny
    indirect case other(Int, name: String)
}

public protocol Sizing: AnyObject {
    associatedtype Unit
    var size: Int { get }
    func grow(by amount: Int) -> Self
//       ^ def method Sizing.grow
    init(size: Int)
}

extension Cart: Hashable where T: Hashable {
    public func hash(into hasher: inout Hasher) {
//              ^ def method Cart.hash
        guard case .big = kind, let first = items.first as? Cart else { return }
//                  ^ member
        hasher.combine(first)
    }
}

extension Shop.Shelf { func fill() {} }

private func open(_ cart: Cart<Item>) -> Cart<Item>? { nil }

actor Store {}

let (width, height) = (1, 2)
var counter = 0 {
    didSet { print(counter) }
}

infix operator +++: AdditionPrecedence
func +++ (left: Int, right: Int) -> Int { left }

public extension Cart {
    func seen() {}
    //   ^ def method Cart.seen
    private func hidden() {}
}
