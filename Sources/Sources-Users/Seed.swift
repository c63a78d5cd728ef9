import AggregatorCore
import Synchronization

/// The seed of a list of people: the same seed gives the same list again. Each store has one.
final class Seed: Sendable {
  private let world: World
  private let dice: any Dice
  private let recorded: String?
  private let known = Mutex<String?>(nil)

  init(_ world: World) {
    self.world = world
    dice = world.dice
    recorded = world.recorded("seed")
  }

  /// The store's seed, made when it is first asked for.
  ///
  /// Where the store cannot keep one, who asks learns that; who then asks again, to keep nothing, gets one for this process.
  var text: String {
    get async throws {
      if let text = known.withLock({ $0 }) { return text }
      let new = recorded ?? Self.make(dice)
      do {
        return learn(try await world.storedText("users seed") { new })
      } catch let error as SourceError where error.kind == .storage {
        _ = learn(new)
        throw error
      }
    }
  }

  /// The first one that came stays.
  private func learn(_ new: String) -> String {
    known.withLock { text in
      let seed = text ?? new
      text = seed
      return seed
    }
  }

  /// A new seed: letters only, since page 12 of seed `a` is page 2 of seed `a1`, and 16 of them, since 18 mean something else to
  /// the service.
  static func make(_ dice: some Dice) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    return String((0..<16).map { _ in letters[dice.index(below: letters.count)] })
  }
}
