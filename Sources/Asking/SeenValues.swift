import AggregatorCore
import Synchronization

/// Notes on which conditions some record has met, and on the values that the other conditions met instead.
final class SeenValues: Sendable {
  /// The outcome of one condition.
  private struct Tested {
    /// True when some record meets it.
    var isMet = false
    /// True when some record has a value in the field that it looks at; nil before any record.
    var hasValue: Bool?
    /// The values of records that do not meet it.
    var values: Set<String> = []
    /// The number of values that it cannot compare, and the first of them.
    var unfit: (count: Int, text: String)?
    /// The number of records that have the text "null" where the condition means a missing value.
    var nullTexts = 0
  }

  /// The number of numbers and of texts that an order has met, and the first of the texts.
  private typealias Mixture = (numbers: Int, texts: Int, example: String)

  private let tested: Mutex<[Tested]>
  private let strangeText = Mutex<(index: Int, text: String)?>(nil)
  private let mixtures: Mutex<[Mixture]>

  init(of conditions: [RecordCondition], _ orders: [RecordOrder]) {
    tested = Mutex(conditions.map { _ in Tested() })
    mixtures = Mutex(orders.map { _ in (0, 0, "") })
  }

  /// The first text that a comparison of numbers met, with the index of its condition.
  var strange: (index: Int, text: String)? { strangeText.withLock { $0 } }

  func noteStrange(_ text: String, for index: Int) { strangeText.withLock { $0 = $0 ?? (index, text) } }

  func note(_ value: MixedValue, at index: Int) {
    mixtures.withLock { mixtures in
      switch value {
      case .number: mixtures[index].numbers += 1
      case .text(let text):
        if mixtures[index].texts == 0 { mixtures[index].example = text }
        mixtures[index].texts += 1
      }
    }
  }

  /// Returns the first text that an order met, if at least half of its values were numbers; nil otherwise.
  func text(amongNumbersOf index: Int) -> String? {
    mixtures.withLock { mixtures in
      let mixture = mixtures[index]
      return mixture.texts > 0 && mixture.numbers >= mixture.texts ? mixture.example : nil
    }
  }

  func note(_ conditions: [RecordCondition], _ unmet: [Int], of value: Value) {
    tested.withLock { tested in
      for index in conditions.indices where tested[index].hasValue != true {
        tested[index].hasValue = !value.value(at: conditions[index].path.names.prefix(1)).isNothing
      }
      for index in conditions.indices where !tested[index].isMet {
        if !unmet.contains(index) {
          (tested[index].isMet, tested[index].values) = (true, [])
        } else if tested[index].values.count < 1_000 {
          tested[index].values.formUnion(conditions[index].values(in: value))
        }
      }
    }
  }

  func noteUnfit(_ text: String, for index: Int) {
    tested.withLock { $0[index].unfit = (($0[index].unfit?.count ?? 0) + 1, $0[index].unfit?.text ?? text) }
  }

  /// Returns the number of values that a condition could not compare, and the first of them.
  func unfit(_ index: Int) -> (count: Int, text: String)? { tested.withLock { $0[index].unfit } }

  func noteNullText(for index: Int) { tested.withLock { $0[index].nullTexts += 1 } }

  /// Returns the number of records that have the text "null" where a condition means a missing value.
  func nullTexts(_ index: Int) -> Int { tested.withLock { $0[index].nullTexts } }

  /// True when records came, and none has a value in the field that the condition looks at.
  func lacksValues(of index: Int) -> Bool { tested.withLock { $0[index].hasValue == false } }

  func wasMet(_ index: Int) -> Bool { tested.withLock { $0[index].isMet } }

  func values(of index: Int) -> [String] { tested.withLock { $0[index].values.sorted() } }
}
