import AggregatorCore
import SourceTesting
import Synchronization
import Testing

@testable import Services

/// The key with which stored rows were asked for.
extension WhoseListTests {
  @Test("the stored rows of one key are refused to another, serve without a key, and stay with the first")
  func keys() async throws {
    let shop = ListPerKey()
    #expect(try await shop.sync("A").verdict == .complete)
    #expect(try await shop.next("A", 2).map(\.id) == ["0", "1"])
    func isRefused(_ work: () async throws -> Void) async throws -> Bool {
      do {
        try await work()
        return false
      } catch let error as SourceError where error.kind == .settings && error.remedy?.description.contains("forget") == true {
        return true
      }
    }
    #expect(try await isRefused { _ = try await shop.walk("B") })
    #expect(try await isRefused { _ = try await shop.sync("B") })
    #expect(try await isRefused { _ = try await shop.next("B", 2) })
    // The service itself answers any key.
    #expect(try await shop.walk("B", .init(), .anywhere).items.first?.id == "1000")
    shop.isDown.withLock { $0 = true }
    #expect(try await shop.walk("B", .init(), .anywhere).items.first?.id == "1000", "B's own answer was cached")
    #expect(try await shop.walk(nil, .init(), .anywhere).items.count == 30)
    #expect(try await shop.walk("A", .init(), .anywhere).items.first?.id == "0")
    shop.isDown.withLock { $0 = false }
    #expect(try await shop.next("A", 2).map(\.id) == ["2", "3"])
    let outcome = try await shop.sync("A")
    #expect(outcome.verdict == .complete && outcome.state.counts.gone == 0)
  }

  @Test("a new key of the same account takes over the stored rows")
  func sameAccount() async throws {
    let shop = ListPerKey()
    #expect(try await shop.sync("A").verdict == .complete)
    _ = try await shop.walk("A", .init(), .anywhere)
    shop.rows.withLock { $0["B"] = (0..<30).map { $0 } }
    #expect(try await shop.walk("B", sameAccount: true).items.count == 30)
    #expect(try await shop.walk("B").items.count == 30)
    await #expect(throws: SourceError.self) { _ = try await shop.walk("A") }
    #expect(try await shop.sync("B").verdict == .complete)
  }

  @Test("a list belongs to its key if a key is required, unless the file says otherwise", arguments: ["false", "optional"])
  func declared(personal: String) async throws {
    let (shop, edit) = (ListPerKey(), copy(of: Edit()) { $0.personal = personal })
    #expect(try await shop.sync("A", edit).verdict == .complete)
    #expect(try await shop.walk("B", edit).items.count == 30)
    // If the file says so, an optional key owns its list too.
    let own = copy(of: edit) { $0.personal = "optional true" }
    #expect(try await shop.sync("A", own, sameAccount: true).verdict == .complete)
    await #expect(throws: SourceError.self) { _ = try await shop.walk("B", own) }
    #expect(try await shop.walk(nil, own).items.count == 30)
    // Without the key it would be another list.
    await #expect(throws: SourceError.self) { _ = try await shop.sync(nil, own) }
  }

  @Test("rows that came without a key belong to no key, and do not replace those of a key")
  func keyless() async throws {
    let (shop, edit) = (ListPerKey(), copy(of: Edit()) { $0.personal = "optional true" })
    shop.rows.withLock { $0[""] = [2_000, 2_001] }
    #expect(try await shop.sync("A", edit).verdict == .complete)
    #expect(try await shop.walk(nil, edit, .anywhere).items.map(\.id) == ["2000", "2001"])
    #expect(try await shop.walk("A", edit).items.count == 30)
    let other = ListPerKey()
    #expect(try await other.next(nil, 2, edit).count == 2)
    await #expect(throws: SourceError.self) { _ = try await other.next("B", 2, edit) }
    #expect(try await other.next(nil, 2, edit).count == 2)
  }

  @Test("rows for everybody belong to no key once the file says that the list is personal")
  func corrected() async throws {
    let (shop, edit) = (ListPerKey(), copy(of: Edit()) { $0.personal = "false" })
    #expect(try await shop.sync("A", edit).verdict == .complete)
    let own = copy(of: edit) { $0.personal = "true" }
    await #expect(throws: SourceError.self) { _ = try await shop.walk("B", own) }
    #expect(try await shop.walk("B", own, sameAccount: true).items.count == 30)
  }

  @Test("a key that the service refuses takes over nothing")
  func mistyped() async throws {
    let shop = ListPerKey()
    #expect(try await shop.sync("A").verdict == .complete)
    await #expect(throws: SourceError.self) { _ = try await shop.walk("mistyped", .init(), .anywhere, sameAccount: true) }
    #expect(try await shop.walk("A").items.count == 30)
  }

  @Test("a new key takes over the rows of the old one, and none of another holder")
  func takingOver() async throws {
    let shop = ListPerKey()
    #expect(try await shop.sync("A").verdict == .complete)
    #expect(try await shop.walk("B", .init(), .anywhere).items.first?.id == "1000")
    #expect(try await shop.walk("C", sameAccount: true).items.first?.id == "0")
    #expect(try await shop.walk("C").items.count == 30)
  }

  @Test("neither a key nor its plain digest is stored")
  func secrecy() async throws {
    let shop = ListPerKey()
    #expect(try await shop.sync("A-long-key-of-somebody").verdict == .complete)
    let text = try await shop.store.snapshot().storedText("things list") ?? ""
    #expect(text.contains("holder") && !text.contains("A-long-key"))
    let other = ListPerKey()
    #expect(try await other.sync("A-long-key-of-somebody").verdict == .complete)
    #expect(try await other.store.snapshot().storedText("things list") != text, "two stores must not have the same digest of a key")
  }

  @Test("keys come and go, and no key is shown the rows of another", arguments: 0..<30 as Range<UInt64>)
  func keysByChance(seed: UInt64) async throws {
    let (shop, dice) = (ListPerKey(), SeededDice(seed: seed))
    var (owner, shown): (String?, [String]) = (nil, [])
    for _ in 0..<14 {
      let key = ["A", "B", nil][dice.index(below: 3)]
      func isTheirs(_ ids: [String], _ holder: String?) -> Bool { ids.allSatisfy { (Int($0) ?? 0 >= 1_000) == (holder == "B") } }
      switch dice.index(below: 3) {
      case 0:
        let outcome = try? await shop.sync(key)
        if key == nil || owner != nil && owner != key { #expect(outcome == nil, "seed \(seed)") } else { owner = key }
      case 1:
        guard let ids = try? await shop.next(key, 3).map(\.id) else {
          #expect(key == nil && owner == nil || key != owner && owner != nil, "seed \(seed)")
          continue
        }
        if owner == nil { owner = key }
        #expect(isTheirs(ids, owner) && (key == nil || key == owner), "seed \(seed)")
        shown += ids
      default:
        guard let ids = try? await shop.walk(key).items.map(\.id) else { continue }
        #expect(isTheirs(ids, owner) && (key == nil || key == owner), "seed \(seed)")
      }
    }
    #expect(Set(shown).count == shown.count, "seed \(seed)")
  }
}
