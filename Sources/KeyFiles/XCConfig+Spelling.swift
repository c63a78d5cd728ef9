import AggregatorCore

extension XCConfig {
  /// A warning for each name in the files that sets nothing and is nearly one of `names`, which nothing sets.
  ///
  /// Other names are left alone: key files are shared with Xcode, which has hundreds.
  func misspelled(_ names: [String]) -> [String] {
    let missing = names.filter { assignments[$0] == nil }
    // The bound keeps a huge file quick.
    return self.names.prefix(1000).filter { !names.contains($0) }.flatMap { written in
      missing.filter { Self.areNear(Array(written.utf8), Array($0.utf8)) }.compactMap { name in
        assignments[written]?.last.map { "\(describe($0.place)): \(written) is not a setting; did you mean \(name)?" }
      }
    }
  }

  /// Whether two letters or fewer, put in, left out or changed, make one of the other; case does not count.
  private static func areNear(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard abs(left.count - right.count) <= 2 else { return false }
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let change = diagonal + (letter | 0x20 == right[column] | 0x20 ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(change, row[column] + 1, row[column + 1] + 1)
      }
    }
    return row[right.count] <= 2
  }
}
