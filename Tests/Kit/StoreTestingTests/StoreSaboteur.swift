import AggregatorCore

@testable import StoreTesting

/// A store that breaks one law, to show that the check of that law can fail.
struct StoreSaboteur: Sendable {
  /// The fault of the store.
  let name: String
  /// The only law that may catch it, and must.
  let law: StoreLaw
  let makeOpener: @Sendable () -> StoreLaws.StoreOpener
  var lock: StoreLaws.Lock?

  init(_ name: String, breaks law: StoreLaw, opening makeOpener: @escaping @Sendable () -> StoreLaws.StoreOpener) {
    (self.name, self.law, self.makeOpener) = (name, law, makeOpener)
  }

  /// A store in memory with one operation changed.
  init(_ name: String, breaks law: StoreLaw, tampering tamper: @escaping @Sendable (inout TamperedStore) -> Void) {
    self.init(name, breaks: law) {
      var store = TamperedStore()
      tamper(&store)
      return { [store] in store }
    }
  }

  func report() async -> StoreReport { await StoreLaws(name, locking: lock, opening: { makeOpener() }).report() }
}

/// Every saboteur under every law. It proves that the checks can fail, and that each fails for its own reason alone.
struct StoreSaboteurMatrix: Sendable {
  let rows: [(saboteur: StoreSaboteur, caught: [StoreLaw])]

  init(_ saboteurs: [StoreSaboteur] = StoreSaboteur.all) async {
    var rows: [(StoreSaboteur, [StoreLaw])] = []
    for saboteur in saboteurs { rows.append((saboteur, await saboteur.report().breaches.map(\.law))) }
    self.rows = rows
  }

  /// The faults of the checks: a saboteur that passes, one that another law catches, a law without a saboteur.
  var complaints: [String] {
    let wrong = rows.flatMap { saboteur, caught -> [String] in
      let strays = caught.filter { $0 != saboteur.law }.map { "a store that \(saboteur.name) was also caught by \"\($0)\"" }
      return strays + (caught.contains(saboteur.law) ? [] : ["a store that \(saboteur.name) was not caught by \"\(saboteur.law)\""])
    }
    let idle = StoreLaw.allCases.filter { law in !rows.contains { $0.saboteur.law == law } }
    return wrong + idle.map { "no saboteur breaks \"\($0)\"" }
  }
}

extension StoreSaboteurMatrix: CustomStringConvertible {
  /// A line for each saboteur, with the laws that caught it.
  var description: String {
    let width = rows.map(\.saboteur.name.count).max() ?? 0
    return rows.map { saboteur, caught in
      saboteur.name + String(repeating: " ", count: width - saboteur.name.count) + "  ✗ "
        + (caught.isEmpty ? "not caught" : caught.map(\.rawValue).joined(separator: "; "))
    }.joined(separator: "\n")
  }
}
