import Ports
import Testing

/// A recording in the shape of a well-known service, and the facts about it.
struct KnownService: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// All facts that the guesses must find.
  let facts: [String]
  let write: @Sendable (inout RecordedService) throws -> Void

  init(_ name: String, _ facts: String..., write: @escaping @Sendable (inout RecordedService) throws -> Void) {
    (testDescription, self.facts, self.write) = (name, facts, write)
  }

  /// A service whose requests and answers are the same texts on every page, with placeholders:
  /// - `ROWS`, the rows;
  /// - `FROM` and `LAST`, the numbers of the first and the last row, `BEFORE`, that of the row before them, `COUNT`, the number of rows;
  /// - `INDEX` and `NUMBER`, the number of the page, from 0 and from 1;
  /// - `PLACE`, one of `places`; `MORE` and `DONE`, a Boolean;
  /// - `THEN`, which is `first` on the first page and `then` on the others;
  /// - `NEXT`, which is `next` as for the following page, and `last`, if given, on the last one.
  init(
    _ name: String, _ facts: String..., at address: String, sending body: String? = nil,
    headers: [String: String] = [:], _ answer: String, first: String = "", then: String = "",
    next: String = "", last: String? = nil, places: [String] = [], rows count: Int = 5, by size: Int = 2,
    row: @escaping @Sendable (Int) -> String = { #"{"id":\#($0),"type":"boat","name":"\#(names[$0])"}"# }
  ) {
    (testDescription, self.facts) = (name, facts)
    write = { service in
      let pages = (count + size - 1) / size
      for page in 0..<pages {
        let next = page == pages - 1 ? last ?? next : next
        func filled(_ template: String, on page: Int) -> String {
          let rows = page * size..<max(page * size, min((page + 1) * size, count))
          let words = [
            ("THEN", page == 0 ? first : then), ("FROM", "\(rows.lowerBound)"), ("LAST", "\(rows.upperBound - 1)"),
            ("BEFORE", "\(rows.lowerBound - 1)"), ("COUNT", "\(rows.count)"), ("INDEX", "\(page)"),
            ("NUMBER", "\(page + 1)"), ("MORE", "\(page < pages - 1)"), ("DONE", "\(page == pages - 1)"),
            ("PLACE", page < places.count ? places[page] : ""), ("ROWS", page < pages ? list(rows, row) : ""),
          ]
          return words.reduce(template) { $0.replacing($1.0, with: $1.1) }
        }
        func text(_ template: String) -> String {
          filled(template.replacing("NEXT", with: filled(next, on: page + 1)), on: page)
        }
        if let body {
          try service.post(text(address), sending: text(body), text(answer))
        } else {
          try service.get(text(address), headers: headers.mapValues(text), text(answer))
        }
      }
    }
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
      "title: full_name", "total: total_count", "4 on 2",
      at: "https://api.github.com/search/repositories?q=boatsTHEN", headers: ["Link": "PLACE"],
      #"{"total_count":40,"incomplete_results":false,"items":ROWS}"#, then: "&page=NUMBER",
      places: [
        #"<https://api.github.com/search/repositories?q=boats&page=2>; rel="next", <https://api.github.com/search/repositories?q=boats&page=20>; rel="last""#,
        #"<https://api.github.com/search/repositories?q=boats&page=1>; rel="prev", <https://api.github.com/search/repositories?q=boats&page=3>; rel="next""#,
      ], rows: 4
    ) {
      #"{"id":\#(50 - $0),"node_id":"MDEw\#($0)=","name":"\#($0 == 0 ? "ships" : "boats")","full_name":"\#(names[$0])/boats","private":false,"owner":{"login":"\#(names[$0])","type":"User"},"description":null}"#
    },
    KnownService(
      "JSON:API", "paging: the next page's address at links.next", #"size: query "page[size]""#, "rows: data", "key: id",
      "title: attributes.title", "total: meta.total", "unwrap: attributes", "5 on 3",
      at: "https://api.example/articles?page%5Bnumber%5D=NUMBER&page%5Bsize%5D=2",
      #"{"jsonapi":{"version":"1.1"},"data":ROWS,"meta":{"total":5},"links":{"self":"https://api.example/articles?page%5Bnumber%5D=NUMBER&page%5Bsize%5D=2","next":NEXT}}"#,
      next: #""https://api.example/articles?page%5Bnumber%5D=NUMBER&page%5Bsize%5D=2""#, last: "null"
    ) {
      #"{"type":"articles","id":"\#($0)","attributes":{"kind":"news","title":"\#(names[$0])","published":"2024-02-0\#($0 + 1)"},"relationships":{"author":{"data":{"type":"people","id":"9"}}},"links":{"self":"https://api.example/articles/\#($0)"}}"#
    },
    KnownService(
      "OData with its own next link", "paging: the next page's address at [\"@odata.nextLink\"]", #"size: query "$top""#, "rows: value",
      "key: ProductID", "title: ProductName", "total: [\"@odata.count\"]", "5 on 2",
      at: "https://api.example/V4/Products?$top=5&$count=trueTHEN",
      #"{"@odata.context":"https://api.example/V4/Products/$metadata#Products","@odata.count":5,"value":ROWSNEXT}"#,
      then: "&$skiptoken=FROM", next: #","@odata.nextLink":"https://api.example/V4/Products?$top=5&$count=true&$skiptoken=FROM""#,
      last: "", by: 3
    ) { #"{"ProductID":\#($0 + 1),"ProductName":"\#(names[$0])","SupplierID":1,"UnitPrice":\#($0).5}"# },
    KnownService(
      "Twilio", "paging: the next page's address at next_page_uri", #"size: query "PageSize""#, "rows: calls", "key: sid", "title: sid",
      "5 on 3", at: "https://api.twilio.com/2010-04-01/Accounts/AC1/Calls.json?PageSize=2THEN",
      #"{"calls":ROWS,"end":LAST,"first_page_uri":"/2010-04-01/Accounts/AC1/Calls.json?PageSize=2&Page=0","next_page_uri":NEXT,"page":INDEX,"page_size":2,"previous_page_uri":null,"start":FROM,"uri":"/2010-04-01/Accounts/AC1/Calls.json?PageSize=2THEN"}"#,
      then: "&Page=INDEX&PageToken=PAcFROM",
      next: #""/2010-04-01/Accounts/AC1/Calls.json?PageSize=2&Page=INDEX&PageToken=PAcFROM""#, last: "null"
    ) {
      #"{"sid":"CA\#($0)","date_created":"Mon, 0\#($0 + 1) Jan 2024 10:00:00 +0000","status":"completed","to":"+4912345\#($0)","from":"+4998","price":"-0.03"}"#
    },
    KnownService(
      "Shopify, whose next address drops what the first one asked", "paging: a Link header to the next page", #"size: query "limit""#,
      "rows: products", "key: id", "title: title", "5 on 3",
      at: "https://yard.myshopify.com/admin/api/2024-01/products.json?limit=2THEN", headers: ["Link": "PLACE"],
      #"{"products":ROWS}"#, first: "&status=active&order=title", then: "&page_info=eyJFROM",
      places: [
        #"<https://yard.myshopify.com/admin/api/2024-01/products.json?limit=2&page_info=eyJ2>; rel="next""#,
        #"<https://yard.myshopify.com/admin/api/2024-01/products.json?limit=2&page_info=eyJ0>; rel="previous", <https://yard.myshopify.com/admin/api/2024-01/products.json?limit=2&page_info=eyJ4>; rel="next""#,
        #"<https://yard.myshopify.com/admin/api/2024-01/products.json?limit=2&page_info=eyJ2>; rel="previous""#,
      ]
    ) {
      #"{"id":63\#($0),"title":"\#(names[$0])","vendor":"Yard","product_type":"boat","status":"active","created_at":"2024-03-0\#($0 + 1)T08:00:00Z","variants":[{"id":1\#($0),"price":"9.90"},{"id":2\#($0),"price":"19.90"}]}"#
    },
    KnownService(
      "Spotify", "paging: the next page's address at next", #"size: query "limit""#, "rows: items", "key: id", "title: name",
      "total: total", "5 on 3", at: "https://api.spotify.com/v1/artists/3/albums?THENlimit=2",
      #"{"href":"https://api.spotify.com/v1/artists/3/albums?offset=FROM&limit=2","items":ROWS,"limit":2,"next":NEXT,"offset":FROM,"previous":null,"total":5}"#,
      then: "offset=FROM&", next: #""https://api.spotify.com/v1/artists/3/albums?offset=FROM&limit=2""#, last: "null"
    ) {
      #"{"album_type":"album","artists":[{"name":"Anna","id":"a"}],"href":"https://api.spotify.com/v1/albums/s\#($0)","id":"s\#($0)","name":"\#(names[$0])","release_date":"1999-0\#($0 + 1)-01","total_tracks":\#(10 + $0),"type":"album","uri":"spotify:album:s\#($0)"}"#
    },
    KnownService(
      "Mastodon", "paging: a Link header to the next page", #"size: query "limit""#, "rows: the document itself", "key: id",
      "title: content", "4 on 2", at: "https://m.example/api/v1/timelines/public?limit=2THEN",
      headers: [
        "Link":
          #"<https://m.example/api/v1/timelines/public?limit=2&max_id=NEXT>; rel="next", <https://m.example/api/v1/timelines/public?limit=2&min_id=119>; rel="prev""#
      ], "ROWS", then: "&max_id=PLACE", next: "PLACE", places: ["", "118", "116"], rows: 4
    ) {
      #"{"id":"11\#(9 - $0)","created_at":"2024-05-0\#(9 - $0)T10:00:00.000Z","visibility":"public","language":"en","uri":"https://m.example/users/a/statuses/11\#(9 - $0)","content":"<p>\#(names[$0]) sails</p>","account":{"id":"1","username":"a"}}"#
    },
    KnownService(
      "Zendesk", "paging: the next page's address at next_page", #"size: query "per_page""#, "rows: tickets", "key: id",
      "title: subject", "total: count", "5 on 3", at: "https://yard.zendesk.com/api/v2/tickets.json?THENper_page=2",
      #"{"tickets":ROWS,"next_page":NEXT,"previous_page":null,"count":5}"#, then: "page=NUMBER&",
      next: #""https://yard.zendesk.com/api/v2/tickets.json?page=NUMBER&per_page=2""#, last: "null"
    ) {
      #"{"url":"https://yard.zendesk.com/api/v2/tickets/\#($0).json","id":\#($0 + 35),"external_id":null,"created_at":"2024-06-0\#($0 + 1)T07:00:00Z","type":"incident","subject":"\#(names[$0])","status":"open"}"#
    },
    KnownService(
      "PokeAPI", "paging: the next page's address at next", #"size: query "limit""#, "rows: results", "key: name", "title: name",
      "total: count", "5 on 3", at: "https://pokeapi.co/api/v2/pokemon?offset=FROM&limit=2",
      #"{"count":5,"next":NEXT,"previous":null,"results":ROWS}"#,
      next: #""https://pokeapi.co/api/v2/pokemon?offset=FROM&limit=2""#, last: "null"
    ) { #"{"name":"\#(names[$0].lowercased())","url":"https://pokeapi.co/api/v2/pokemon/\#($0 + 1)/"}"# },
    KnownService(
      "Salesforce, each page at an address of its own", "paging: the next page's address at nextRecordsUrl", "rows: records", "key: Id",
      "title: Name", "total: totalSize", "more: done, true on the last page", "5 on 3", at: "https://yard.my.salesforce.comPLACE",
      #"{"totalSize":5,"done":DONENEXT,"records":ROWS}"#, next: #","nextRecordsUrl":"PLACE""#, last: "",
      places: [
        "/services/data/v58.0/query?q=SELECT+Id,Name+FROM+Boat", "/services/data/v58.0/query/01gD-2", "/services/data/v58.0/query/01gD-4",
      ]
    ) {
      #"{"attributes":{"type":"Boat","url":"/services/data/v58.0/sobjects/Boat/001\#($0)"},"Id":"001\#($0)","Name":"\#(names[$0])"}"#
    },
  ]

  // MARK: - An answer has a token for the next request

  static let tokens = [
    KnownService(
      "Notion, whose first page has no cursor", #"paging: a token at next_cursor into body "start_cursor""#, #"size: body "page_size""#,
      "rows: results", "key: id", "title: properties.Name.title", "more: has_more", "5 on 3",
      at: "https://api.notion.com/v1/databases/d1/query", sending: #"{"page_size":2THEN}"#,
      #"{"object":"list","results":ROWS,"next_cursor":NEXT,"has_more":MORE,"type":"page_or_database"}"#,
      then: #","start_cursor":"c-FROM""#, next: #""c-FROM""#, last: "null"
    ) {
      #"{"object":"page","id":"59833787-2cf9-4fdf-8782-e53db20768a\#($0)","created_time":"2024-01-0\#($0 + 1)T10:00:00.000Z","archived":false,"properties":{"Stage":{"id":"q","type":"select","select":null},"Name":{"id":"title","type":"title","title":[{"type":"text","plain_text":"\#(names[$0])"}]}},"url":"https://www.notion.so/\#(names[$0])-59833787"}"#
    },
    KnownService(
      "a GraphQL connection of edges", #"paging: a token at data.boats.pageInfo.endCursor into body "variables.after""#,
      #"size: body "variables.first""#, "rows: data.boats.edges", "key: node.id", "title: node.name", "total: data.boats.totalCount",
      "more: data.boats.pageInfo.hasNextPage", "unwrap: node", "5 on 3", at: "https://api.example/graphql",
      sending:
        #"{"query":"query Boats($first: Int!, $after: String) { boats(first: $first, after: $after) { totalCount edges { cursor node { id name } } pageInfo { hasNextPage endCursor } } }","variables":{"first":2,"after":THEN}}"#,
      #"{"data":{"boats":{"totalCount":5,"edges":ROWS,"pageInfo":{"startCursor":"YFROM","hasNextPage":MORE,"endCursor":"YLAST"}}}}"#,
      first: "null", then: #""YBEFORE""#
    ) { #"{"cursor":"Y\#($0)","node":{"__typename":"Boat","id":"B\#($0)","name":"\#(names[$0])"}}"# },
    KnownService(
      "GraphQL nodes below another object", #"paging: a token at data.repository.issues.pageInfo.endCursor into body "variables.cursor""#,
      "rows: data.repository.issues.nodes", "key: id", "title: title", "more: data.repository.issues.pageInfo.hasNextPage", "4 on 2",
      at: "https://api.example/graphql",
      sending:
        #"{"query":"query Issues($cursor: String) { repository { issues(first: 2, after: $cursor) { nodes { id title } pageInfo { hasNextPage endCursor } } } }","variables":{THEN}}"#,
      #"{"data":{"repository":{"issues":{"nodes":ROWS,"pageInfo":{"hasNextPage":MORE,"endCursor":"eNEXT"}}}}}"#,
      then: #""cursor":"eFROM""#, next: "FROM", rows: 4
    ) {
      #"{"__typename":"Issue","id":"I_\#($0)","state":"OPEN","createdAt":"2024-01-0\#($0 + 1)T00:00:00Z","title":"\#(names[$0]) leaks"}"#
    },
    KnownService(
      "Slack, whose last page has an empty cursor", #"paging: a token at response_metadata.next_cursor into query "cursor""#,
      #"size: query "limit""#, "rows: members", "key: id", "title: name", "5 on 3", at: "https://slack.com/api/users.list?limit=2THEN",
      #"{"ok":true,"members":ROWS,"cache_ts":1700000000,"response_metadata":{"next_cursor":"NEXT"}}"#, then: "&cursor=dGVhFROM",
      next: "dGVhFROM", last: ""
    ) {
      #"{"id":"U0\#($0)","team_id":"T1","deleted":false,"color":"9f69e7","name":"\#(names[$0])","tz":"Europe/Oslo","profile":{"title":"","email":"a@b.example"},"updated":170000000\#($0)}"#
    },
    KnownService(
      "X", #"paging: a token at meta.next_token into query "pagination_token""#, #"size: query "max_results""#, "rows: data", "key: id",
      "title: text", "5 on 3", at: "https://api.x.com/2/users/1/tweets?max_results=2THEN",
      #"{"data":ROWS,"meta":{"result_count":COUNT,"newest_id":"18FROM","oldest_id":"18LAST"NEXT}}"#,
      then: "&pagination_token=PLACE", next: #","next_token":"PLACE""#, last: "", places: ["", "7140a", "7140b"]
    ) {
      #"{"edit_history_tweet_ids":["18\#($0)"],"id":"18\#($0)","created_at":"2024-01-0\#($0 + 1)T10:00:00.000Z","text":"\#(names[$0]) sails"}"#
    },
    KnownService(
      "HubSpot", #"paging: a token at paging.next.after into query "after""#, #"size: query "limit""#, "rows: results", "key: id",
      "title: properties.firstname", "unwrap: properties", "5 on 3",
      at: "https://api.hubapi.com/crm/v3/objects/contacts?limit=2THEN", #"{"results":ROWSNEXT}"#, then: "&after=FROM",
      next: #","paging":{"next":{"after":"FROM","link":"https://api.hubapi.com/crm/v3/objects/contacts?after=FROM"}}"#, last: ""
    ) {
      #"{"id":"\#(51 + $0)","properties":{"createdate":"2024-01-0\#($0 + 1)T10:00:00Z","email":"\#($0)@b.example","firstname":"\#(names[$0])","hs_object_id":"\#(51 + $0)"},"createdAt":"2024-01-0\#($0 + 1)T10:00:00Z","archived":false}"#
    },
    KnownService(
      "Airtable, whose offset is a token", #"paging: a token at offset into query "offset""#, #"size: query "pageSize""#, "rows: records",
      "key: id", "title: fields.Name", "unwrap: fields", "5 on 3", at: "https://api.airtable.com/v0/app1/Boats?pageSize=2THEN",
      #"{"records":ROWSNEXT}"#, then: "&offset=itr1%2FrecFROM", next: #","offset":"itr1/recFROM""#, last: ""
    ) { #"{"id":"rec\#($0)","createdTime":"2024-01-0\#($0 + 1)T10:00:00.000Z","fields":{"Status":"Todo","Name":"\#(names[$0])"}}"# },
    KnownService(
      "Reddit", #"paging: a token at data.after into query "after""#, #"size: query "limit""#, "rows: data.children", "key: data.id",
      "title: data.title", "unwrap: data", "5 on 3", at: "https://www.reddit.com/r/boats.json?limit=2THEN",
      #"{"kind":"Listing","data":{"after":NEXT,"dist":COUNT,"modhash":"","children":ROWS,"before":null}}"#, then: "&after=t3_xBEFORE",
      next: #""t3_xBEFORE""#, last: "null"
    ) {
      #"{"kind":"t3","data":{"subreddit":"boats","author_fullname":"t2_q","title":"\#(names[$0]) sails","name":"t3_x\#($0)","score":\#(7 + $0),"id":"x\#($0)","author":"anna","created_utc":17000000\#($0).0,"permalink":"/r/boats/x\#($0)/"}}"#
    },
    KnownService(
      "YouTube, whose total is a guess", #"paging: a token at nextPageToken into query "pageToken""#, #"size: query "maxResults""#,
      "rows: items", "key: id.videoId", "title: snippet.title", "unwrap: snippet", "4 on 2",
      at: "https://www.googleapis.com/youtube/v3/search?part=snippet&q=boats&maxResults=2THEN",
      #"{"kind":"youtube#searchListResponse","etag":"z","nextPageToken":"NEXT","regionCode":"DE","pageInfo":{"totalResults":1000000,"resultsPerPage":2},"items":ROWS}"#,
      then: "&pageToken=PLACE", next: "PLACE", places: ["", "CAIQAA", "CAQQAA"], rows: 4
    ) {
      #"{"kind":"youtube#searchResult","etag":"e\#($0)","id":{"kind":"youtube#video","videoId":"v\#($0)"},"snippet":{"publishedAt":"2024-01-0\#($0 + 1)T10:00:00Z","channelId":"UC1","title":"\#(names[$0]) sails","description":"","channelTitle":"Boats","liveBroadcastContent":"none"}}"#
    },
    KnownService(
      "MediaWiki, whose continuation is an object", "paging: everything in one answer", "size: query \"aplimit\"", "rows: query.allpages",
      "key: pageid", "title: title", "unfollowed: the next page is asked for with query \"apcontinue\" and query \"continue\" together",
      "6 on 3", at: allPages, wiki, then: "&apcontinue=PLACE&continue=-%7C%7C", next: "PLACE", places: ["", "Cog", "Echo", "Gaff"], rows: 6,
      row: wikiPage),
    KnownService(
      "MediaWiki, only one page recorded", #"paging: a token at continue.apcontinue into query "apcontinue""#, "size: query \"aplimit\"",
      "rows: query.allpages", "key: pageid", "title: title", "2 on 1", at: allPages, wiki, next: "Cog", rows: 2, row: wikiPage),
  ]

  private static let allPages = "https://wiki.example/w/api.php?action=query&list=allpages&format=json&aplimit=2THEN"
  private static let wiki = #"{"batchcomplete":"","continue":{"apcontinue":"NEXT","continue":"-||"},"query":{"allpages":ROWS}}"#
  @Sendable private static func wikiPage(_ number: Int) -> String { #"{"pageid":\#(300 + number),"ns":0,"title":"\#(names[number])"}"# }
}
