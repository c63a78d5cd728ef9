public import AggregatorCore

/// How much a folder of pictures keeps.
public struct PictureHoldings: Sendable, Hashable {
  public let count: Int
  public let bytes: Int
  /// When the least and the most recently used one was used; nil where none is stored.
  public let oldest: Moment?
  public let newest: Moment?
}

extension PictureFolder {
  /// What is kept now.
  public var holdings: PictureHoldings {
    let kept = entries()
    let moments = kept.map(\.moment)
    return PictureHoldings(count: kept.count, bytes: kept.reduce(0) { $0 + $1.bytes }, oldest: moments.min(), newest: moments.max())
  }

  /// Removes every picture, and says how much that was.
  ///
  /// - Throws: a `SourceError` of kind `storage` if some are still there.
  @discardableResult
  public func clear() throws(SourceError) -> PictureHoldings {
    let before = holdings
    for entry in entries() { PictureFile.remove(entry.path) }
    removeDrafts(olderThan: Moment(sinceEpoch: .seconds(Int64.max)))
    let left = holdings.count
    guard left == 0 else {
      throw SourceError(.storage, "cannot remove \(left) pictures in \(path)", remedy: "make that folder writable")
    }
    return before
  }
}
