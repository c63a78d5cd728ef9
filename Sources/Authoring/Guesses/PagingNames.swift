import AggregatorCore
import Recordings

/// The usual names of paging parameters, in the spellings that are tried on a service, the likeliest first.
package enum PagingNames {
  package static let sizes = [
    "limit", "per_page", "page_size", "pageSize", "size", "count", "$top", "page[size]", "perPage", "take", "max_results",
    "maxResults", "rows", "n", "top", "first",
  ]
  package static let offsets = ["offset", "skip", "start", "$skip", "from", "startAt", "page[offset]", "start_index"]
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
