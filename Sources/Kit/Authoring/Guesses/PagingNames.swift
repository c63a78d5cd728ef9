import AggregatorCore
import Recordings

/// The usual names of paging parameters, in the spellings that are tried on a service, the likeliest first.
package enum PagingNames {
  package static let sizes = [
    "limit", "per_page", "page_size", "pageSize", "size", "count", "$top", "page[size]", "perPage", "take", "max_results",
    "maxResults", "rows", "n", "top", "first", "resultRecordCount",
  ]
  package static let offsets = [
    "offset", "skip", "start", "$skip", "from", "startAt", "page[offset]", "start_index", "resultOffset",
  ]
  package static let pages = ["page", "p", "page[number]", "pageNumber", "page_number", "pageIndex", "pg", "currentPage"]
  package static let keysets = [
    "starting_after", "after", "since_id", "after_id", "last_id", "max_id", "before", "since", "last", "from_id",
  ]
  package static let tokens = [
    "cursor", "after", "start", "page_token", "bookmark", "token", "starting_after", "start_cursor", "pagination_token",
    "next_token", "next_cursor", "continuation",
  ]

  /// Returns the same names in the form by which they are recognized; see `Parameter.plainName`.
  package static func plain(_ names: [String]) -> Set<String> { Set(names.map { Parameter(.query, $0).plainName }) }
}

extension ValuePath {
  var plainName: String { Parameter(.body, names.last ?? "").plainName }

  var words: [Substring] { names.flatMap { Parameter(.body, $0).plainName.split(separator: "_") } }

  /// True when a name says "next" or "more": `next`, `links.next.href`, `nextRecordsUrl`, `more_topics_url`.
  var isNext: Bool { words.contains("next") || words.last != "more" && words.contains("more") }

  /// Words that may come with "next" in the name of a member that names the next page.
  private static let destinations: Set<Substring> = [
    "address", "continuation", "cursor", "href", "id", "index", "key", "link", "marker", "number", "odata", "offset", "page",
    "path",
    "records", "results", "scroll", "skip", "start", "token", "uri", "url",
  ]

  /// True when the name says nothing but the next page: `next`, `links.next.href`, `nextPageToken`; not `next_update`.
  var isNextPage: Bool {
    func isNamed(_ names: some Sequence<String>) -> Bool {
      let words = names.flatMap { Parameter(.body, $0).plainName.split(separator: "_") }
      return words.contains("next") && words.allSatisfy { $0 == "next" || Self.destinations.contains($0) }
    }
    return isNamed(names.suffix(1)) || isNamed(names.suffix(2))
  }

  /// Last words of the name of a token, and words of names that hold another kind of token.
  private static let tokens: Set<Substring> = ["bookmark", "continuation", "cursor", "key", "marker", "token"]
  private static let otherTokens: Set<Substring> = [
    "access", "api", "auth", "csrf", "delta", "device", "id", "oauth", "public", "refresh", "secret", "session", "sync", "xsrf",
  ]

  /// True when the name says that its value is a token for the next page: `nextBatch`, `lastEvaluatedKey`, `resumptionToken`.
  var isToken: Bool {
    let words = plainName.split(separator: "_")
    if isNextPage || words.first == "next" && words.count == 2 { return true }
    guard let last = words.last, Self.tokens.contains(last), !words.contains(where: Self.otherTokens.contains) else {
      return false
    }
    return last != "key" || words.first == "last"
  }

  private static let onward = Set(words: "next end after cursor token continue continuation last marker oldest bookmark scroll")
  private static let backward: Set<String> = ["previous", "prev", "before", "start", "first", "self", "newest"]

  /// True when the name says that the value leads on, and not back.
  var isOnward: Bool {
    words.contains { Self.onward.contains(String($0)) } && !words.contains { Self.backward.contains(String($0)) }
  }
}

extension String {
  /// Returns the plain name in the spelling of this name: in camel case if this name has capitals.
  func spelled(as plain: String) -> String {
    contains(where: \.isUppercase) ? NameWords.lowerCamel(plain.split(separator: "_").map(String.init)) : plain
  }
}
