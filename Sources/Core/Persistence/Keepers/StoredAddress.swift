/// Where the stored records of a source came from: those of one address do not answer for another, nor does a walk of one go on at the other.
///
/// A store remembers the first address whose records landed, as a keepsake. One that an older version wrote knows none; it counts as the
/// store of the address whose records land next.
package struct StoredAddress: Sendable {
  let kind: RecordKind
  let keeper: any RecordKeeper & StoreUpkeep
  /// The address that is asked now; nil of a source that has none.
  let address: String?

  private var name: String { kind.addressName }

  /// Throws where the stored records came from another address.
  package func check() async throws { try await check(in: keeper.snapshot()) }

  func check(in snapshot: any RecordSnapshot) async throws {
    if address != nil, let stored = try await snapshot.storedText(name) { try compare(stored) }
  }

  /// The same where records are about to land: from now on this is their address, if they had none.
  func claim() async throws {
    if let address { try compare(try await keeper.storedText(name) { address }) }
  }

  private func compare(_ stored: String) throws {
    guard let address, stored != address else { return }
    throw SourceError(
      .storage, "the stored \(kind.name) came from \(stored), not from \(address)",
      remedy: "use another store, or forget what is stored of it")
  }
}

extension RecordKind {
  /// The keepsake that the address of these records is remembered by.
  package var addressName: String { "\(name) address" }
}
