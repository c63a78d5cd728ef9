import Synchronization

/// Secrets, and the search for them, built when first needed: many commands show nothing and ask no service.
final class KnownSecrets: Sendable, Hashable {
  let all: Set<Secret>
  private let search = Mutex<Scrubber?>(nil)

  init(_ secrets: some Sequence<Secret>) { all = Set(secrets) }

  /// Nil where no secret is known.
  var scrubber: Scrubber? {
    guard !all.isEmpty else { return nil }
    return search.withLock { search in
      let scrubber = search ?? Scrubber(all)
      search = scrubber
      return scrubber
    }
  }

  static func == (left: KnownSecrets, right: KnownSecrets) -> Bool { left.all == right.all }
  func hash(into hasher: inout Hasher) { hasher.combine(all) }
}
