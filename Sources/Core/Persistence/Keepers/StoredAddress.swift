/// Where the stored records of a source came from: those of one address do not answer for another, nor does a walk of one go on at the other.
///
/// A store remembers the first address whose records landed, as a keepsake. One that an older version wrote knows none; it counts as the
/// store of the address whose records land next.
struct StoredAddress: Sendable {
  let kind: RecordKind
  let keeper: any StoreUpkeep
  /// The address that is asked now; nil of a source that has none.
  let address: String?

  /// Throws where the stored records came from another address. Where they came from none yet, `keeps` says that some are about to land.
  func check(keeping keeps: Bool = false) async throws {
    guard let address, let stored = try await keeper.storedText("\(kind.name) address", made: { keeps ? address : nil }) else { return }
    guard stored != address else { return }
    throw SourceError(
      .storage, "the stored \(kind.name) came from \(stored), not from \(address)", remedy: "use another store for each address")
  }
}
