import AggregatorCore
import Synchronization

/// The seed of a list of people. The same seed gives the same list again, and each store has one seed.
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

  /// The seed of the store, made on first use.
  ///
  /// If the store cannot keep a seed, the first call throws. Later calls return a seed for this process.
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

  /// Remembers the first seed that comes, and returns it.
  private func learn(_ new: String) -> String {
    known.withLock { text in
      let seed = text ?? new
      text = seed
      return seed
    }
  }

  /// Makes a new seed. It has letters only, because page 12 of seed `a` is page 2 of seed `a1`. It has 16 of them, because 18 mean
  /// something else to the service.
  static func make(_ dice: some Dice) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    return String((0..<16).map { _ in letters[dice.index(below: letters.count)] })
  }
}
