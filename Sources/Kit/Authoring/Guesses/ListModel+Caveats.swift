import AggregatorCore
import Recordings
import Services

// What the answers of a list say of themselves, which can take a verdict away.
extension ListModel {
  /// The members of its answers that say, or could say, that rows are missing. Of a member that says so in one of them, that is the one.
  /// The member by which it pages is not among them.
  var caveats: [Caveat] {
    let all = recorded.pages.flatMap { $0.document.caveats(besides: items.value) }
    return all.inGroups(by: \.path).compactMap { path, caveats in
      path == paging.more?.value.path ? nil : caveats.first(where: \.isSaid) ?? caveats.first
    }
  }
}

extension Value {
  /// The statements of an answer about itself.
  fileprivate func caveats(besides rows: ValuePath) -> [Caveat] {
    (try? JSON(bytes)).map { Caveat.all(in: $0, besides: rows) } ?? []
  }

  /// The same answer without the statements that rows are missing.
  func withoutCaveats(besides rows: ValuePath) -> Value {
    caveats(besides: rows).filter(\.isSaid).reduce(self) { $0.setting($1.path, to: .null) }
  }
}

extension Caveat {
  /// The member, with its value if it says something, and what that does to a verdict.
  var told: String { "\(isSaid ? text : path.text) (\(consequence))" }

  private var consequence: String {
    switch (meaning, isSaid) {
    case (.moreFollows, false): "a walk that ends where it is true is partial"
    case (.moreFollows, true): "a walk that ends here is partial"
    case (.isIncomplete, false): "a list that the service cuts short is partial"
    case (.isIncomplete, true): "cut short by the service, so it is partial"
    case (.partFailed, false): "a list is partial if a part of the service fails"
    case (.partFailed, true): "a part of the service failed, so it is partial"
    case (.totalIsNoCount, false): "a total that is only a bound is not used"
    case (.totalIsNoCount, true): "the total is only a bound, and is not used"
    case (.isWarning, _): "warnings are shown"
    }
  }
}
