import AggregatorCore

/// A thing that can go wrong in a history. Each seed turns a random half of them off, because hazards that are rare together hide each other.
enum Hazard: String, CaseIterable {
  // The list.
  case moves, edits, brokenRows, repeatedRows, oddValues
  // How the service treats pages, always.
  case clampedSizes, ignoredSizes, roundedSizes, oddAfterEnd, cycles, highTotals, lowTotals, lostTotals, oddTotals, alwaysMore, noTotal
  // What comes in place of an answer, for a while.
  case throttled, failing, cutBodies, otherBodies, errorsInside, unreachable, slow, refusedKey, lostTokens
  // Marks of pages, with which unchanged ones are not sent.
  case marks
  // What people do.
  case deletions, imports, renamings, corrections, renewedKeys, audits, resets, past
  // The machine.
  case kills, together, wrongClocks, deadlines
  // Later ones come last: the histories without them stay the same.
  case reorders, leavesOut
  // A page with a certain row fails each time; answers say that they are not everything; the size of the first request bounds the list.
  case poisonedRows, saysPartial, boundBySize
  // Another service has the same list, in pages of its own and without some values. One of the two, or both, may be down.
  case mirrors
  // Readers look at what is stored while others work. Names of rows hold the key.
  case readers, echoes
  // Rows come as lines in bodies that end with their connection, and may be cut anywhere.
  case openBodies
}

/// Everything that happens in one history, as it can be said in one line. A history without some hazards or steps has the same others.
struct Scenario: CustomStringConvertible {
  let seed: UInt64
  var without: Set<Hazard> = []
  var skipping: Set<Int> = []
  /// The most rows in the beginning; nil for as many as the seed says.
  var rows: Int?

  /// The dice of one part of the history, which other parts do not change.
  func dice(_ part: String, _ number: Int = 0) -> SeededDice {
    var print = Fingerprint()
    print.combine("\(seed) \(part) \(number)")
    return SeededDice(seed: print.value)
  }

  var hazards: Set<Hazard> {
    let dice = dice("hazards")
    return Set(Hazard.allCases.filter { _ in dice.index(below: 2) == 0 }).subtracting(without)
  }

  var steps: Int { 4 + dice("steps").index(below: 7) }

  /// The options with which the simulator plays it again.
  var description: String {
    let off = Hazard.allCases.filter(without.contains).map(\.rawValue).joined(separator: ",")
    let steps = skipping.sorted().map(String.init).joined(separator: ",")
    return "--from \(seed)" + (off.isEmpty ? "" : " --without \(off)") + (steps.isEmpty ? "" : " --skipping \(steps)")
      + (rows.map { " --rows \($0)" } ?? "")
  }
}
