/// The search for the word that a person probably meant: "Did you mean …".
public enum Closest {
  /// Returns the one of `words` that `word` most likely means, whatever its case; nil if none is near.
  ///
  ///     Closest.closest(to: "serach", among: ["list", "search", "show"])  // "search"
  ///
  /// A word that begins with the typed text (at least two characters) comes first. Otherwise at most a third of the characters, but always
  /// one, may be wrong, missing, extra or exchanged. Of equally good words the one with the longer common beginning wins, then the first.
  public static func closest(to word: String, among words: [String]) -> String? {
    let typed = Array(Fold.fold(word))
    guard !typed.isEmpty else { return nil }
    let bound = max(1, typed.count / 3)
    var best: (word: String, rank: (Int, Int, Int))?
    for candidate in words {
      let letters = Array(Fold.fold(candidate))
      let isBeginning = typed.count >= 2 && letters.starts(with: typed)
      guard isBeginning || abs(letters.count - typed.count) <= bound else { continue }
      let distance = isBeginning ? letters.count - typed.count : distance(typed, letters)
      guard isBeginning || distance <= bound && distance < max(typed.count, letters.count) else { continue }
      let common = zip(typed, letters).prefix { $0 == $1 }.count
      let rank = (isBeginning ? 0 : 1, distance, -common)
      if best.map({ rank < $0.rank }) ?? true { best = (candidate, rank) }
    }
    return best?.word
  }

  /// True when exactly one letter is wrong, missing, extra, or exchanged with the next.
  static func isOneEdit(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard abs(left.count - right.count) <= 1, left != right else { return false }
    let same = zip(left, right).prefix { $0 == $1 }.count
    let (rest, other) = (left.dropFirst(same), right.dropFirst(same))
    if rest.count != other.count { return rest.count > other.count ? rest.dropFirst() == other : other.dropFirst() == rest }
    return rest.dropFirst().elementsEqual(other.dropFirst())
      || rest.dropFirst(2).elementsEqual(other.dropFirst(2)) && rest.prefix(2).elementsEqual(other.prefix(2).reversed())
  }

  /// Returns the distance of Damerau and Levenshtein, in the variant that edits no part twice.
  package static func distance<Letter: Equatable>(_ left: [Letter], _ right: [Letter]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      current.reserveCapacity(right.count + 1)
      for column in right.indices {
        let change = last[column] + (left[row] == right[column] ? 0 : 1)
        var cheapest = min(change, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cheapest = min(cheapest, beforeLast[column - 1] + 1)
        }
        current.append(cheapest)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
