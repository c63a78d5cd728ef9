import Ports
import Testing

/// A recording in the shape of a well-known service, and what is true of that.
struct KnownService: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Everything that is to be read off it.
  let facts: [String]
  /// Those of the facts that are missed, each with the reason.
  var mistakes: [String: String] = [:]
  let write: @Sendable (inout RecordedService) throws -> Void

  init(
    _ name: String, _ facts: String..., but mistakes: [String: String] = [:],
    write: @escaping @Sendable (inout RecordedService) throws -> Void
  ) {
    (testDescription, self.facts, self.mistakes, self.write) = (name, facts, mistakes, write)
  }

  static let all = addresses + tokens + counts + lastRows + wholes + odd
}

/// One object for each number.
func list(_ numbers: Range<Int>, _ row: (Int) -> String) -> String { "[" + numbers.map(row).joined(separator: ",") + "]" }

let names = ["Asta", "Brig", "Cog", "Dhow", "Echo", "Fram", "Gaff", "Hulk", "Iona"]

// MARK: - An answer has the address of the next page

extension KnownService {
  static let addresses = [
    KnownService(
      "GitHub, whose next address has another path", "paging: a Link header to the next page", #"size: query "per_page""#,
      "rows: the document itself", "key: id", "title: title", "5 on 3"
    ) {
      func issues(_ numbers: Range<Int>) -> String {
        list(numbers) {
          #"{"url":"https://api.github.com/repos/o/r/issues/\#($0)","id":\#(900 + $0),"number":\#($0),"state":"open","title":"\#(names[$0]) leaks","created_at":"2024-01-0\#($0 + 1)T10:00:00Z","user":{"login":"a","id":7},"labels":[]}"#
        }
      }
      let next = "https://api.github.com/repositories/44838949/issues?per_page=2&page="
      try $0.get(
        "https://api.github.com/repos/o/r/issues?per_page=2",
        headers: ["Link": #"<\#(next)2>; rel="next", <\#(next)3>; rel="last""#], issues(0..<2))
      try $0.get(
        "\(next)2", headers: ["Link": #"<\#(next)1>; rel="prev", <\#(next)3>; rel="next", <\#(next)3>; rel="last""#], issues(2..<4))
      try $0.get("\(next)3", headers: ["Link": #"<\#(next)2>; rel="prev", <\#(next)1>; rel="first""#], issues(4..<5))
    },
    KnownService(
      "GitHub's search, its size left to the service", "paging: a Link header to the next page", "rows: items", "key: id",
      "title: full_name", "total: total_count", "4 on 2"
    ) {
      func page(_ numbers: Range<Int>) -> String {
        let rows = list(numbers) {
          #"{"id":\#(50 - $0),"node_id":"MDEw\#($0)=","name":"\#($0 == 0 ? "ships" : "boats")","full_name":"\#(names[$0])/boats","private":false,"owner":{"login":"\#(names[$0])","type":"User"},"description":null}"#
        }
        return #"{"total_count":40,"incomplete_results":false,"items":\#(rows)}"#
      }
      let next = "https://api.github.com/search/repositories?q=boats&page="
      try $0.get(
        "https://api.github.com/search/repositories?q=boats", headers: ["Link": #"<\#(next)2>; rel="next", <\#(next)20>; rel="last""#],
        page(0..<2))
      try $0.get("\(next)2", headers: ["Link": #"<\#(next)1>; rel="prev", <\#(next)3>; rel="next""#], page(2..<4))
    },
    KnownService(
      "JSON:API", "paging: the next page's address at links.next", #"size: query "page[size]""#, "rows: data", "key: id",
      "title: attributes.title", "total: meta.total", "unwrap: attributes", "5 on 3"
    ) {
      let address = "https://api.example/articles?page%5Bnumber%5D="
      for (page, rows) in [(1, 0..<2), (2, 2..<4), (3, 4..<5)] {
        let next = page < 3 ? #""\#(address)\#(page + 1)&page%5Bsize%5D=2""# : "null"
        let data = list(rows) {
          #"{"type":"articles","id":"\#($0)","attributes":{"kind":"news","title":"\#(names[$0])","published":"2024-02-0\#($0 + 1)"},"relationships":{"author":{"data":{"type":"people","id":"9"}}},"links":{"self":"https://api.example/articles/\#($0)"}}"#
        }
        try $0.get(
          "\(address)\(page)&page%5Bsize%5D=2",
          #"{"jsonapi":{"version":"1.1"},"data":\#(data),"meta":{"total":5},"links":{"self":"\#(address)\#(page)&page%5Bsize%5D=2","next":\#(next)}}"#
        )
      }
    },
    KnownService(
      "OData with its own next link", "paging: the next page's address at [\"@odata.nextLink\"]", #"size: query "$top""#, "rows: value",
      "key: ProductID", "title: ProductName", "total: [\"@odata.count\"]", "5 on 2"
    ) {
      let service = "https://api.example/V4/Products"
      let first = "\(service)?$top=5&$count=true"
      for (skip, rows) in [(0, 0..<3), (3, 3..<5)] {
        let value = list(rows) { #"{"ProductID":\#($0 + 1),"ProductName":"\#(names[$0])","SupplierID":1,"UnitPrice":\#($0).5}"# }
        let next = skip == 0 ? #","@odata.nextLink":"\#(service)?$top=5&$count=true&$skiptoken=3""# : ""
        try $0.get(
          skip == 0 ? first : "\(first)&$skiptoken=3",
          #"{"@odata.context":"\#(service)/$metadata#Products","@odata.count":5,"value":\#(value)\#(next)}"#)
      }
    },
    KnownService(
      "Twilio", "paging: the next page's address at next_page_uri", #"size: query "PageSize""#, "rows: calls", "key: sid", "title: sid",
      "5 on 3"
    ) {
      let path = "/2010-04-01/Accounts/AC1/Calls.json?PageSize=2"
      let starts = ["", "&Page=1&PageToken=PAc2", "&Page=2&PageToken=PAc4"]
      for (page, rows) in [0..<2, 2..<4, 4..<5].enumerated() {
        let next = page < 2 ? #""\#(path)\#(starts[page + 1])""# : "null"
        let calls = list(rows) {
          #"{"sid":"CA\#($0)","date_created":"Mon, 0\#($0 + 1) Jan 2024 10:00:00 +0000","status":"completed","to":"+4912345\#($0)","from":"+4998","price":"-0.03"}"#
        }
        try $0.get(
          "https://api.twilio.com\(path)\(starts[page])",
          #"{"calls":\#(calls),"end":\#(rows.upperBound - 1),"first_page_uri":"\#(path)&Page=0","next_page_uri":\#(next),"page":\#(page),"page_size":2,"previous_page_uri":null,"start":\#(rows.lowerBound),"uri":"\#(path)\#(starts[page])"}"#
        )
      }
    },
    KnownService(
      "Shopify, whose next address drops what the first one asked", "paging: a Link header to the next page", #"size: query "limit""#,
      "rows: products", "key: id", "title: title", "5 on 3"
    ) {
      func page(_ rows: Range<Int>) -> String {
        let products = list(rows) {
          #"{"id":63\#($0),"title":"\#(names[$0])","vendor":"Yard","product_type":"boat","status":"active","created_at":"2024-03-0\#($0 + 1)T08:00:00Z","variants":[{"id":1\#($0),"price":"9.90"},{"id":2\#($0),"price":"19.90"}]}"#
        }
        return #"{"products":\#(products)}"#
      }
      let shop = "https://yard.myshopify.com/admin/api/2024-01/products.json?limit=2"
      try $0.get("\(shop)&status=active&order=title", headers: ["Link": #"<\#(shop)&page_info=eyJ2>; rel="next""#], page(0..<2))
      try $0.get(
        "\(shop)&page_info=eyJ2", headers: ["Link": #"<\#(shop)&page_info=eyJ0>; rel="previous", <\#(shop)&page_info=eyJ4>; rel="next""#],
        page(2..<4))
      try $0.get("\(shop)&page_info=eyJ4", headers: ["Link": #"<\#(shop)&page_info=eyJ2>; rel="previous""#], page(4..<5))
    },
    KnownService(
      "Spotify", "paging: the next page's address at next", #"size: query "limit""#, "rows: items", "key: id", "title: name",
      "total: total", "5 on 3"
    ) {
      let address = "https://api.spotify.com/v1/artists/3/albums?"
      for (offset, rows) in [(0, 0..<2), (2, 2..<4), (4, 4..<5)] {
        let items = list(rows) {
          #"{"album_type":"album","artists":[{"name":"Anna","id":"a"}],"href":"https://api.spotify.com/v1/albums/s\#($0)","id":"s\#($0)","name":"\#(names[$0])","release_date":"1999-0\#($0 + 1)-01","total_tracks":\#(10 + $0),"type":"album","uri":"spotify:album:s\#($0)"}"#
        }
        let next = offset < 4 ? #""\#(address)offset=\#(offset + 2)&limit=2""# : "null"
        try $0.get(
          offset == 0 ? "\(address)limit=2" : "\(address)offset=\(offset)&limit=2",
          #"{"href":"\#(address)offset=\#(offset)&limit=2","items":\#(items),"limit":2,"next":\#(next),"offset":\#(offset),"previous":null,"total":5}"#
        )
      }
    },
    KnownService(
      "Mastodon", "paging: a Link header to the next page", #"size: query "limit""#, "rows: the document itself", "key: id",
      "title: content", "4 on 2"
    ) {
      func posts(_ rows: Range<Int>) -> String {
        list(rows) {
          #"{"id":"11\#(9 - $0)","created_at":"2024-05-0\#(9 - $0)T10:00:00.000Z","visibility":"public","language":"en","uri":"https://m.example/users/a/statuses/11\#(9 - $0)","content":"<p>\#(names[$0]) sails</p>","account":{"id":"1","username":"a"}}"#
        }
      }
      let home = "https://m.example/api/v1/timelines/public?"
      for (start, max, rows) in [("limit=2", 118, 0..<2), ("limit=2&max_id=118", 116, 2..<4)] {
        try $0.get(
          "\(home)\(start)",
          headers: ["Link": #"<\#(home)limit=2&max_id=\#(max)>; rel="next", <\#(home)limit=2&min_id=119>; rel="prev""#], posts(rows))
      }
    },
    KnownService(
      "Zendesk", "paging: the next page's address at next_page", #"size: query "per_page""#, "rows: tickets", "key: id",
      "title: subject", "total: count", "5 on 3"
    ) {
      let address = "https://yard.zendesk.com/api/v2/tickets.json?"
      for (page, rows) in [(1, 0..<2), (2, 2..<4), (3, 4..<5)] {
        let tickets = list(rows) {
          #"{"url":"https://yard.zendesk.com/api/v2/tickets/\#($0).json","id":\#($0 + 35),"external_id":null,"created_at":"2024-06-0\#($0 + 1)T07:00:00Z","type":"incident","subject":"\#(names[$0])","status":"open"}"#
        }
        let next = page < 3 ? #""\#(address)page=\#(page + 1)&per_page=2""# : "null"
        try $0.get(
          page == 1 ? "\(address)per_page=2" : "\(address)page=\(page)&per_page=2",
          #"{"tickets":\#(tickets),"next_page":\#(next),"previous_page":null,"count":5}"#)
      }
    },
    KnownService(
      "PokeAPI", "paging: the next page's address at next", #"size: query "limit""#, "rows: results", "key: name", "title: name",
      "total: count", "5 on 3"
    ) {
      let address = "https://pokeapi.co/api/v2/pokemon?"
      for (offset, rows) in [(0, 0..<2), (2, 2..<4), (4, 4..<5)] {
        let results = list(rows) { #"{"name":"\#(names[$0].lowercased())","url":"https://pokeapi.co/api/v2/pokemon/\#($0 + 1)/"}"# }
        let next = offset < 4 ? #""\#(address)offset=\#(offset + 2)&limit=2""# : "null"
        try $0.get(
          "\(address)offset=\(offset)&limit=2", #"{"count":5,"next":\#(next),"previous":null,"results":\#(results)}"#)
      }
    },
    KnownService(
      "Salesforce, each page at an address of its own", "paging: the next page's address at nextRecordsUrl", "rows: records", "key: Id",
      "title: Name", "total: totalSize", "more: done, true on the last page", "5 on 3"
    ) {
      let starts = [
        "/services/data/v58.0/query?q=SELECT+Id,Name+FROM+Boat", "/services/data/v58.0/query/01gD-2", "/services/data/v58.0/query/01gD-4",
      ]
      for (page, rows) in [0..<2, 2..<4, 4..<5].enumerated() {
        let records = list(rows) {
          #"{"attributes":{"type":"Boat","url":"/services/data/v58.0/sobjects/Boat/001\#($0)"},"Id":"001\#($0)","Name":"\#(names[$0])"}"#
        }
        let next = page < 2 ? #","nextRecordsUrl":"\#(starts[page + 1])""# : ""
        try $0.get(
          "https://yard.my.salesforce.com\(starts[page])", #"{"totalSize":5,"done":\#(page == 2)\#(next),"records":\#(records)}"#)
      }
    },
  ]

  // MARK: - An answer has a token for the next request

  static let tokens = [
    KnownService(
      "Notion, whose first page has no cursor", #"paging: a token at next_cursor into body "start_cursor""#, #"size: body "page_size""#,
      "rows: results", "key: id", "title: properties.Name.title", "more: has_more", "5 on 3"
    ) {
      for (start, rows, next) in [
        ("", 0..<2, #""c-2""#), (#","start_cursor":"c-2""#, 2..<4, #""c-4""#), (#","start_cursor":"c-4""#, 4..<5, "null"),
      ] {
        let results = list(rows) {
          #"{"object":"page","id":"59833787-2cf9-4fdf-8782-e53db20768a\#($0)","created_time":"2024-01-0\#($0 + 1)T10:00:00.000Z","archived":false,"properties":{"Stage":{"id":"q","type":"select","select":null},"Name":{"id":"title","type":"title","title":[{"type":"text","plain_text":"\#(names[$0])"}]}},"url":"https://www.notion.so/\#(names[$0])-59833787"}"#
        }
        try $0.post(
          "https://api.notion.com/v1/databases/d1/query", sending: #"{"page_size":2\#(start)}"#,
          #"{"object":"list","results":\#(results),"next_cursor":\#(next),"has_more":\#(next != "null"),"type":"page_or_database"}"#)
      }
    },
    KnownService(
      "a GraphQL connection of edges", #"paging: a token at data.boats.pageInfo.endCursor into body "variables.after""#,
      #"size: body "variables.first""#, "rows: data.boats.edges", "key: node.id", "title: node.name", "total: data.boats.totalCount",
      "more: data.boats.pageInfo.hasNextPage", "unwrap: node", "5 on 3"
    ) {
      let question =
        "query Boats($first: Int!, $after: String) { boats(first: $first, after: $after) { totalCount edges { cursor node { id name } } pageInfo { hasNextPage endCursor } } }"
      for (start, rows) in [("null", 0..<2), (#""Y1""#, 2..<4), (#""Y3""#, 4..<5)] {
        let edges = list(rows) { #"{"cursor":"Y\#($0)","node":{"__typename":"Boat","id":"B\#($0)","name":"\#(names[$0])"}}"# }
        let last = rows.upperBound - 1
        try $0.post(
          "https://api.example/graphql", sending: #"{"query":"\#(question)","variables":{"first":2,"after":\#(start)}}"#,
          #"{"data":{"boats":{"totalCount":5,"edges":\#(edges),"pageInfo":{"startCursor":"Y\#(rows.lowerBound)","hasNextPage":\#(last < 4),"endCursor":"Y\#(last)"}}}}"#
        )
      }
    },
    KnownService(
      "GraphQL nodes below another object", #"paging: a token at data.repository.issues.pageInfo.endCursor into body "variables.cursor""#,
      "rows: data.repository.issues.nodes", "key: id", "title: title", "more: data.repository.issues.pageInfo.hasNextPage", "4 on 2"
    ) {
      let question =
        "query Issues($cursor: String) { repository { issues(first: 2, after: $cursor) { nodes { id title } pageInfo { hasNextPage endCursor } } } }"
      for (start, rows) in [("", 0..<2), (#""cursor":"e2""#, 2..<4)] {
        let nodes = list(rows) {
          #"{"__typename":"Issue","id":"I_\#($0)","state":"OPEN","createdAt":"2024-01-0\#($0 + 1)T00:00:00Z","title":"\#(names[$0]) leaks"}"#
        }
        try $0.post(
          "https://api.example/graphql", sending: #"{"query":"\#(question)","variables":{\#(start)}}"#,
          #"{"data":{"repository":{"issues":{"nodes":\#(nodes),"pageInfo":{"hasNextPage":\#(rows.upperBound < 4),"endCursor":"e\#(rows.upperBound)"}}}}}"#
        )
      }
    },
    KnownService(
      "Slack, whose last page has an empty cursor", #"paging: a token at response_metadata.next_cursor into query "cursor""#,
      #"size: query "limit""#, "rows: members", "key: id", "title: name", "5 on 3"
    ) {
      for (start, rows, next) in [("", 0..<2, "dGVh2"), ("&cursor=dGVh2", 2..<4, "dGVh4"), ("&cursor=dGVh4", 4..<5, "")] {
        let members = list(rows) {
          #"{"id":"U0\#($0)","team_id":"T1","deleted":false,"color":"9f69e7","name":"\#(names[$0])","tz":"Europe/Oslo","profile":{"title":"","email":"a@b.example"},"updated":170000000\#($0)}"#
        }
        try $0.get(
          "https://slack.com/api/users.list?limit=2\(start)",
          #"{"ok":true,"members":\#(members),"cache_ts":1700000000,"response_metadata":{"next_cursor":"\#(next)"}}"#)
      }
    },
    KnownService(
      "X", #"paging: a token at meta.next_token into query "pagination_token""#, #"size: query "max_results""#, "rows: data", "key: id",
      "title: text", "5 on 3"
    ) {
      for (start, rows, next) in [
        ("", 0..<2, "7140a"), ("&pagination_token=7140a", 2..<4, "7140b"), ("&pagination_token=7140b", 4..<5, ""),
      ] {
        let data = list(rows) {
          #"{"edit_history_tweet_ids":["18\#($0)"],"id":"18\#($0)","created_at":"2024-01-0\#($0 + 1)T10:00:00.000Z","text":"\#(names[$0]) sails"}"#
        }
        let token = next.isEmpty ? "" : #","next_token":"\#(next)""#
        try $0.get(
          "https://api.x.com/2/users/1/tweets?max_results=2\(start)",
          #"{"data":\#(data),"meta":{"result_count":\#(rows.count),"newest_id":"18\#(rows.lowerBound)","oldest_id":"18\#(rows.upperBound - 1)"\#(token)}}"#
        )
      }
    },
    KnownService(
      "HubSpot", #"paging: a token at paging.next.after into query "after""#, #"size: query "limit""#, "rows: results", "key: id",
      "title: properties.firstname", "unwrap: properties", "5 on 3"
    ) {
      let address = "https://api.hubapi.com/crm/v3/objects/contacts?"
      for (start, rows, next) in [("", 0..<2, "2"), ("&after=2", 2..<4, "4"), ("&after=4", 4..<5, "")] {
        let results = list(rows) {
          #"{"id":"\#(51 + $0)","properties":{"createdate":"2024-01-0\#($0 + 1)T10:00:00Z","email":"\#($0)@b.example","firstname":"\#(names[$0])","hs_object_id":"\#(51 + $0)"},"createdAt":"2024-01-0\#($0 + 1)T10:00:00Z","archived":false}"#
        }
        let paging = next.isEmpty ? "" : #","paging":{"next":{"after":"\#(next)","link":"\#(address)after=\#(next)"}}"#
        try $0.get("\(address)limit=2\(start)", #"{"results":\#(results)\#(paging)}"#)
      }
    },
    KnownService(
      "Airtable, whose offset is a token", #"paging: a token at offset into query "offset""#, #"size: query "pageSize""#, "rows: records",
      "key: id", "title: fields.Name", "unwrap: fields", "5 on 3"
    ) {
      for (start, rows, next) in [
        ("", 0..<2, "itr1/rec2"), ("&offset=itr1%2Frec2", 2..<4, "itr1/rec4"), ("&offset=itr1%2Frec4", 4..<5, ""),
      ] {
        let records = list(rows) {
          #"{"id":"rec\#($0)","createdTime":"2024-01-0\#($0 + 1)T10:00:00.000Z","fields":{"Status":"Todo","Name":"\#(names[$0])"}}"#
        }
        try $0.get(
          "https://api.airtable.com/v0/app1/Boats?pageSize=2\(start)",
          #"{"records":\#(records)\#(next.isEmpty ? "" : #","offset":"\#(next)""#)}"#)
      }
    },
    KnownService(
      "Reddit", #"paging: a token at data.after into query "after""#, #"size: query "limit""#, "rows: data.children", "key: data.id",
      "title: data.title", "unwrap: data", "5 on 3"
    ) {
      for (start, rows, next) in [("", 0..<2, #""t3_x1""#), ("&after=t3_x1", 2..<4, #""t3_x3""#), ("&after=t3_x3", 4..<5, "null")] {
        let children = list(rows) {
          #"{"kind":"t3","data":{"subreddit":"boats","author_fullname":"t2_q","title":"\#(names[$0]) sails","name":"t3_x\#($0)","score":\#(7 + $0),"id":"x\#($0)","author":"anna","created_utc":17000000\#($0).0,"permalink":"/r/boats/x\#($0)/"}}"#
        }
        try $0.get(
          "https://www.reddit.com/r/boats.json?limit=2\(start)",
          #"{"kind":"Listing","data":{"after":\#(next),"dist":\#(rows.count),"modhash":"","children":\#(children),"before":null}}"#)
      }
    },
    KnownService(
      "YouTube, whose total is a guess", #"paging: a token at nextPageToken into query "pageToken""#, #"size: query "maxResults""#,
      "rows: items", "key: id.videoId", "title: snippet.title", "unwrap: snippet", "4 on 2"
    ) {
      for (start, rows, next) in [("", 0..<2, "CAIQAA"), ("&pageToken=CAIQAA", 2..<4, "CAQQAA")] {
        let items = list(rows) {
          #"{"kind":"youtube#searchResult","etag":"e\#($0)","id":{"kind":"youtube#video","videoId":"v\#($0)"},"snippet":{"publishedAt":"2024-01-0\#($0 + 1)T10:00:00Z","channelId":"UC1","title":"\#(names[$0]) sails","description":"","channelTitle":"Boats","liveBroadcastContent":"none"}}"#
        }
        try $0.get(
          "https://www.googleapis.com/youtube/v3/search?part=snippet&q=boats&maxResults=2\(start)",
          #"{"kind":"youtube#searchListResponse","etag":"z","nextPageToken":"\#(next)","regionCode":"DE","pageInfo":{"totalResults":1000000,"resultsPerPage":2},"items":\#(items)}"#
        )
      }
    },
    KnownService(
      "MediaWiki, whose continuation is an object", "paging: everything in one answer", "size: query \"aplimit\"", "rows: query.allpages",
      "key: pageid", "title: title", "unfollowed: the next page is asked for with query \"apcontinue\" and query \"continue\" together",
      "6 on 3"
    ) {
      let starts = [
        ("", 0..<2, "Cog"), ("&apcontinue=Cog&continue=-%7C%7C", 2..<4, "Echo"), ("&apcontinue=Echo&continue=-%7C%7C", 4..<6, "Gaff"),
      ]
      for (start, rows, next) in starts {
        let pages = list(rows) { #"{"pageid":\#(300 + $0),"ns":0,"title":"\#(names[$0])"}"# }
        try $0.get(
          "https://wiki.example/w/api.php?action=query&list=allpages&format=json&aplimit=2\(start)",
          #"{"batchcomplete":"","continue":{"apcontinue":"\#(next)","continue":"-||"},"query":{"allpages":\#(pages)}}"#)
      }
    },
    KnownService(
      "MediaWiki, only one page recorded", #"paging: a token at continue.apcontinue into query "apcontinue""#, "size: query \"aplimit\"",
      "rows: query.allpages", "key: pageid", "title: title", "2 on 1"
    ) {
      let pages = list(0..<2) { #"{"pageid":\#(300 + $0),"ns":0,"title":"\#(names[$0])"}"# }
      try $0.get(
        "https://wiki.example/w/api.php?action=query&list=allpages&format=json&aplimit=2",
        #"{"batchcomplete":"","continue":{"apcontinue":"Cog","continue":"-||"},"query":{"allpages":\#(pages)}}"#)
    },
  ]
}
