import Ports

// MARK: - Requests count rows or pages

extension KnownService {
  static let counts = [
    KnownService(
      "OData by $skip and $top", #"paging: offset by query "$skip""#, #"size: query "$top""#, "rows: value", "key: ID", "title: Name",
      "total: [\"@odata.count\"]", "5 on 3", at: "https://services.odata.org/V4/OData.svc/Products?$count=true&$top=2&$skip=FROM",
      #"{"@odata.context":"https://services.odata.org/V4/OData.svc/$metadata#Products","@odata.count":5,"value":ROWS}"#
    ) { #"{"ID":\#($0),"Name":"\#(names[$0])","ReleaseDate":"1992-01-0\#($0 + 1)T00:00:00Z","Rating":4}"# },
    KnownService(
      "Solr", #"paging: offset by query "start""#, #"size: query "rows""#, "rows: response.docs", "key: id", "title: name",
      "total: response.numFound", "5 on 3", at: "https://solr.example/solr/boats/select?q=*:*&rows=2THEN",
      #"{"responseHeader":{"status":0,"QTime":1,"params":{"q":"*:*","start":"FROM","rows":"2"}},"response":{"numFound":5,"start":FROM,"numFoundExact":true,"docs":ROWS},"facet_counts":{"facet_fields":{"cat":["boat",5]}}}"#,
      then: "&start=FROM"
    ) { #"{"id":"B-\#($0)","cat":["boat"],"name":"\#(names[$0])","price":\#($0).5,"_version_":17\#($0)}"# },
    KnownService(
      "Elasticsearch with an exact total", #"paging: offset by body "from""#, #"size: body "size""#, "rows: hits.hits", "key: _id",
      "title: _source.name", "total: hits.total.value", "unwrap: _source", "5 on 3", at: "https://es.example/boats/_search",
      sending: #"{"from":FROM,"size":2,"query":{"match_all":{}}}"#,
      #"{"took":3,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},"hits":{"total":{"value":5,"relation":"eq"},"max_score":1.0,"hits":ROWS}}"#
    ) {
      #"{"_index":"boats","_id":"Z\#($0)","_score":1.0,"_source":{"type":"sail","name":"\#(names[$0])","built":"1990-01-0\#($0 + 1)"}}"#
    },
    KnownService(
      "Elasticsearch with a lower bound for a total", #"paging: offset by body "from""#, #"size: body "size""#, "rows: hits.hits",
      "key: _id", "title: _source.name", "unwrap: _source", "4 on 2", at: "https://es.example/boats/_search",
      sending: #"{"from":FROM,"size":2,"query":{"match_all":{}}}"#,
      #"{"took":3,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},"hits":{"total":{"value":12000,"relation":"gte"},"max_score":1.0,"hits":ROWS}}"#,
      rows: 4
    ) {
      #"{"_index":"boats","_id":"Z\#($0)","_score":1.0,"_source":{"type":"sail","name":"\#(names[$0])","built":"1990-01-0\#($0 + 1)"}}"#
    },
    KnownService(
      "Jira", #"paging: offset by query "startAt""#, #"size: query "maxResults""#, "rows: issues", "key: id", "title: fields.summary",
      "total: total", "unwrap: fields", "5 on 3",
      at: "https://yard.atlassian.net/rest/api/2/search?jql=project=YARD&startAt=FROM&maxResults=2",
      #"{"expand":"schema,names","startAt":FROM,"maxResults":2,"total":5,"issues":ROWS}"#
    ) {
      #"{"expand":"operations","id":"100\#($0)","self":"https://yard.atlassian.net/rest/api/2/issue/100\#($0)","key":"YARD-\#($0)","fields":{"created":"2024-01-0\#($0 + 1)T10:00:00.000+0000","issuetype":{"name":"Bug"},"summary":"\#(names[$0]) leaks","assignee":null}}"#
    },
    KnownService(
      "GitLab", #"paging: page number by query "page", from 1"#, #"size: query "per_page""#, "rows: the document itself", "key: id",
      "title: name", "total: the header X-Total", "pages: the header X-Total-Pages", "5 on 3",
      at: "https://gitlab.com/api/v4/projects?per_page=2THEN",
      headers: ["X-Next-Page": "NEXT", "X-Page": "NUMBER", "X-Per-Page": "2", "X-Total": "5", "X-Total-Pages": "3"], "ROWS",
      then: "&page=NUMBER", next: "NUMBER", last: ""
    ) {
      #"{"id":\#(81 + $0),"description":null,"name":"\#(names[$0])","path":"\#(names[$0].lowercased())","visibility":"public","created_at":"2024-01-0\#($0 + 1)T10:00:00.000Z"}"#
    },
    KnownService(
      "WordPress", #"paging: page number by query "page", from 1"#, #"size: query "per_page""#, "rows: the document itself", "key: id",
      "title: title.rendered", "total: the header X-WP-Total", "pages: the header X-WP-TotalPages", "5 on 3",
      at: "https://blog.example/wp-json/wp/v2/posts?per_page=2&page=NUMBER", headers: ["X-WP-Total": "5", "X-WP-TotalPages": "3"], "ROWS"
    ) {
      #"{"id":\#(40 - $0),"date":"2024-01-0\#(9 - $0)T10:00:00","guid":{"rendered":"https://blog.example/?p=\#(40 - $0)"},"slug":"\#(names[$0].lowercased())-sails","status":"publish","type":"post","title":{"rendered":"\#(names[$0]) sails"},"content":{"rendered":"<p>Far.</p>","protected":false},"author":1}"#
    },
    KnownService(
      "Contentful", #"paging: offset by query "skip""#, #"size: query "limit""#, "rows: items", "key: sys.id", "title: fields.title",
      "total: total", "unwrap: fields", "5 on 3", at: "https://cdn.contentful.com/spaces/s1/entries?skip=FROM&limit=2",
      #"{"sys":{"type":"Array"},"total":5,"skip":FROM,"limit":2,"items":ROWS,"includes":{"Asset":[{"sys":{"id":"a1"}}]}}"#
    ) {
      #"{"metadata":{"tags":[]},"sys":{"type":"Entry","id":"5K\#($0)","createdAt":"2024-01-0\#($0 + 1)T10:00:00Z","locale":"en-US"},"fields":{"title":"\#(names[$0])","body":"Far."}}"#
    },
    KnownService(
      "Algolia, whose pages count from 0", #"paging: page number by body "page", from 0"#, #"size: body "hitsPerPage""#, "rows: hits",
      "key: objectID", "title: name", "total: nbHits", "pages: nbPages", "5 on 3",
      at: "https://x1-dsn.algolia.net/1/indexes/boats/query", sending: #"{"query":"","page":INDEX,"hitsPerPage":2}"#,
      #"{"hits":ROWS,"nbHits":5,"page":INDEX,"nbPages":3,"hitsPerPage":2,"exhaustiveNbHits":true,"processingTimeMS":1}"#
    ) {
      #"{"name":"\#(names[$0])","brand":"Yard","price":\#($0),"objectID":"b\#($0)","_highlightResult":{"name":{"value":"\#(names[$0])","matchLevel":"none"}}}"#
    },
    KnownService(
      "Random User, which has no end", #"paging: page number by query "page", from 1"#, #"size: query "results""#, "rows: results",
      "key: login.uuid", "title: name.first", "4 on 2", at: "https://randomuser.me/api/?page=NUMBER&results=2&seed=abc",
      #"{"results":ROWS,"info":{"seed":"abc","results":2,"page":NUMBER,"version":"1.4"}}"#, rows: 4
    ) {
      #"{"gender":"male","name":{"title":"Mr","first":"\#(names[$0])","last":"\#(names[8 - $0])"},"email":"\#(names[$0]).x@b.example","login":{"uuid":"155e77ee-ba6d-486f-95ce-0e0c0fb4b91\#($0)","username":"u\#($0)"},"id":{"name":"","value":null},"nat":"DE"}"#
    },
    KnownService(
      "a service whose walk ends with a page without rows", #"paging: page number by query "page", from 1"#, "rows: boats", "key: id",
      "title: name", "4 on 3"
    ) {
      for (page, rows) in [(1, 0..<2), (2, 2..<4)] { try $0.get("/boats?page=\(page)", #"{"boats":\#(boats(rows))}"#) }
      try $0.get("/boats?page=3", #"{"boats":null}"#)
    },
  ]

  // MARK: - The next request begins after the last row

  static let lastRows = [
    KnownService(
      "Stripe", #"paging: id of the last row into query "starting_after""#, #"size: query "limit""#, "rows: data", "key: id", "title: name",
      "more: has_more", "5 on 3", at: customers, #"{"object":"list","data":ROWS,"has_more":MORE,"url":"/v1/customers"}"#,
      then: "&starting_after=cus_BEFORE", row: customer),
    KnownService(
      "Stripe, only one page recorded", #"paging: id of the last row into query "starting_after""#, #"size: query "limit""#, "rows: data",
      "key: id", "title: name", "more: has_more", "2 on 1", at: customers,
      #"{"object":"list","data":ROWS,"has_more":true,"url":"/v1/customers"}"#, rows: 2, row: customer),
    KnownService(
      "Discord", #"paging: id of the last row into query "before""#, #"size: query "limit""#, "rows: the document itself", "key: id",
      "title: content", "5 on 3", at: "https://discord.com/api/v10/channels/1/messages?limit=2THEN", "ROWS", then: "&before=PLACE",
      places: ["", "1108", "1106"]
    ) {
      #"{"type":0,"content":"\#(names[$0]) sails","mentions":[],"timestamp":"2024-05-0\#(9 - $0)T10:00:00.000000+00:00","flags":0,"id":"110\#(9 - $0)","channel_id":"1","author":{"id":"5","username":"anna"},"pinned":false}"#
    },
  ]

  private static let customers = "https://api.stripe.com/v1/customers?limit=2THEN"
  @Sendable private static func customer(_ number: Int) -> String {
    #"{"id":"cus_\#(number)","object":"customer","address":null,"balance":0,"created":17000000\#(number),"currency":"eur","email":"\#(number)@b.example","livemode":false,"name":"\#(names[number])"}"#
  }

  // MARK: - Answers without a next page

  static let wholes = [
    KnownService(
      "a whole array", "paging: everything in one answer", "rows: the document itself", "key: code", "title: name",
      "unfollowed: nothing says that these are all", "7 on 1", at: "https://api.example/countries.json", "ROWS", rows: 7, by: 7
    ) { #"{"code":"C\#($0)","name":"\#(names[$0])","area":\#($0 * 7)}"# },
    KnownService(
      "Firebase, where rows stand under their keys", "paging: everything in one answer", "rows: the document itself", "key: key",
      "title: value.name", "unwrap: value", "unfollowed: nothing says that these are all", "4 on 1"
    ) { try $0.get("https://yard.firebaseio.com/boats.json", keyed(0..<4)) },
    KnownService(
      "Firebase, limited to so many", "paging: everything in one answer", #"size: query "limitToFirst""#, "rows: the document itself",
      "key: key", "title: value.name", "unwrap: value", "unfollowed: nothing says that these are all", "3 on 1"
    ) { try $0.get("https://yard.firebaseio.com/boats.json?orderBy=%22$key%22&limitToFirst=3", keyed(0..<3)) },
    KnownService(
      "a service that says more and gives no way", "paging: everything in one answer", "rows: boats", "key: id", "title: name",
      "more: hasMore", "unfollowed: hasMore is true on the last recorded page and nothing leads on", "3 on 1", at: "/boats",
      #"{"boats":ROWS,"hasMore":true}"#, rows: 3, by: 3),
    KnownService(
      "a service that counts more than it gives", "paging: everything in one answer", "rows: boats", "key: id", "title: name",
      "total: total", "unfollowed: total says 40 and 3 rows were recorded", "3 on 1", at: "/boats", #"{"boats":ROWS,"total":40}"#,
      rows: 3, by: 3),
    KnownService(
      "a service that names a next page elsewhere", "paging: everything in one answer", "rows: boats", "key: id", "title: name",
      "unfollowed: next names a next page at another host", "3 on 1", at: "/boats",
      #"{"boats":ROWS,"next":"https://other.example/boats?after=3"}"#, rows: 3, by: 3),
    KnownService(
      "a bare array of a usual page size", "paging: everything in one answer", "rows: the document itself", "key: id", "title: name",
      "unfollowed: nothing says that these are all", "30 on 1", at: "/boats", "ROWS", rows: 30, by: 30
    ) { #"{"id":\#($0),"name":"Boat \#($0)"}"# },
    KnownService(
      "Dropbox, whose token goes to another address", "paging: everything in one answer", #"size: body "limit""#, "rows: entries",
      "key: id", "title: name", "more: has_more", "unfollowed: the token at cursor goes to another address", "3 on 1",
      at: "https://api.dropboxapi.com/2/files/list_folderPLACE", sending: #"{THEN}"#,
      #"{"entries":ROWS,"cursor":"ZtkNUMBER","has_more":MORE}"#, first: #""path":"","limit":3"#, then: #""cursor":"Ztk1""#,
      places: ["", "/continue"], by: 3
    ) { #"{".tag":"file","name":"\#(names[$0]).txt","id":"id:\#($0)"}"# },
  ]

  private static func keyed(_ rows: Range<Int>) -> String {
    "{" + rows.map { #""-Nx\#($0)":{"built":199\#($0),"name":"\#(names[$0])"}"# }.joined(separator: ",") + "}"
  }

  // MARK: - Odd ones

  /// Rows that differ only in their numbers.
  private static func boats(_ rows: Range<Int>) -> String { list(rows) { #"{"id":\#($0),"type":"boat","name":"\#(names[$0])"}"# } }

  static let odd = [
    KnownService(
      "a token in a header", "paging: everything in one answer", "rows: the document itself", "key: id", "title: name",
      #"unfollowed: query "cursor" takes what the header X-Next-Cursor says"#, "4 on 2"
    ) {
      try $0.get("/boats", headers: ["X-Next-Cursor": "abcd"], boats(0..<2))
      try $0.get("/boats?cursor=abcd", boats(2..<4))
    },
    KnownService(
      "a relative Link header", "paging: a Link header to the next page", "rows: the document itself", "key: id", "title: name", "4 on 2"
    ) {
      try $0.get("/boats?page=1", headers: ["Link": "</boats?page=2>; rel=next"], boats(0..<2))
      try $0.get("/boats?page=2", boats(2..<4))
    },
    KnownService(
      "an empty page in the middle, and a last one without rows", #"paging: a token at meta.next_token into query "pagination_token""#,
      "rows: data", "key: id", "title: name", "4 on 4"
    ) {
      try $0.get("/boats", #"{"data":\#(boats(0..<2)),"meta":{"next_token":"abcd","result_count":2}}"#)
      try $0.get("/boats?pagination_token=abcd", #"{"data":[],"meta":{"next_token":"efgh","result_count":0}}"#)
      try $0.get("/boats?pagination_token=efgh", #"{"data":\#(boats(2..<4)),"meta":{"next_token":"ijkl","result_count":2}}"#)
      try $0.get("/boats?pagination_token=ijkl", #"{"meta":{"result_count":0}}"#)
    },
    KnownService(
      "HAL", "paging: the next page's address at _links.next.href", "rows: _embedded.boats", "key: id", "title: name",
      "total: page.totalElements", "pages: page.totalPages", "4 on 2", at: "/boats?page=INDEX",
      #"{"_embedded":{"boats":ROWS},"_links":{"self":{"href":"/boats"}NEXT},"page":{"totalElements":4,"totalPages":2,"number":INDEX}}"#,
      next: #","next":{"href":"https://api.example/boats?page=INDEX"}"#, last: "", rows: 4),
    KnownService(
      "DynamoDB, whose token is an object", "paging: everything in one answer", #"size: body "Limit""#, "rows: Items", "key: id",
      "title: name", "unfollowed: nothing says that these are all", "2 on 1", at: "/", sending: #"{"Limit":2}"#,
      #"{"Items":ROWS,"Count":2,"LastEvaluatedKey":{"id":{"N":"1"}}}"#, rows: 2),
    KnownService(
      "ArcGIS, whose fields look like rows", "paging: everything in one answer", "rows: features", "key: attributes.OBJECTID",
      "title: attributes.NAME", "unwrap: attributes", "unfollowed: exceededTransferLimit is true and nothing leads on",
      "3 on 1", at: "/query?where=1%3D1&f=json",
      #"{"fields":[{"name":"OBJECTID","type":"oid","alias":"OBJECTID"},{"name":"NAME","type":"string","alias":"NAME"}],"exceededTransferLimit":true,"features":ROWS}"#,
      rows: 3, by: 3
    ) { #"{"attributes":{"OBJECTID":\#($0),"NAME":"\#(names[$0])"}}"# },
    KnownService(
      "FHIR, whose links are a list", "paging: everything in one answer", #"size: query "_count""#, "rows: entry", "key: resource.id",
      "title: resource.id", "total: total", "unwrap: resource", "unfollowed: total says 40 and 2 rows were recorded", "2 on 1",
      at: "/Patient?_count=2",
      #"{"resourceType":"Bundle","total":40,"link":[{"relation":"self","url":"https://api.example/Patient"},{"relation":"next","url":"https://api.example/Patient?p=2"}],"entry":ROWS}"#,
      rows: 2
    ) {
      #"{"fullUrl":"https://api.example/Patient/\#($0)","resource":{"resourceType":"Patient","id":"\#($0)","birthDate":"1999-01-0\#($0 + 1)"}}"#
    },
    KnownService(
      "OpenAI, only one page recorded", #"paging: a token at last_id into query "after""#, #"size: query "limit""#, "rows: data", "key: id",
      "title: name", "more: has_more", "2 on 1", at: "/v1/files?limit=2",
      #"{"object":"list","data":ROWS,"first_id":"0","last_id":"1","has_more":true}"#, rows: 2),
    KnownService(
      "GraphQL, only one page recorded", #"paging: a token at data.boats.pageInfo.endCursor into body "variables.start""#,
      #"size: body "variables.first""#, "rows: data.boats.nodes", "key: id", "title: name", "more: data.boats.pageInfo.hasNextPage",
      "2 on 1", at: "/graphql",
      sending:
        #"{"query":"query Boats($first: Int, $start: String) { boats(first: $first, after: $start) { nodes { id name } } }","variables":{"first":2}}"#,
      #"{"data":{"boats":{"nodes":ROWS,"pageInfo":{"startCursor":"abca","hasNextPage":true,"endCursor":"abcd"}}}}"#, rows: 2),
    KnownService(
      "GraphQL, whose cursor stands in the question", "paging: everything in one answer", "rows: data.boats.nodes", "key: id",
      "title: name", "more: data.boats.pageInfo.hasNextPage",
      "unfollowed: data.boats.pageInfo.hasNextPage is true on the last recorded page and nothing leads on", "2 on 1", at: "/graphql",
      sending: #"{"query":"{ boats(first: 2THEN) { nodes { id name } } }"}"#,
      #"{"data":{"boats":{"nodes":ROWS,"pageInfo":{"hasNextPage":true,"endCursor":"abcd"}}}}"#, then: #", after: \"abcd\""#, rows: 4),
    KnownService(
      "a page size that the service rewrites", "paging: the next page's address at next", #"size: query "limit""#, "rows: boats", "key: id",
      "title: name", "4 on 2", at: "/boats?limit=PLACE", #"{"boats":ROWS,"next":NEXT}"#, next: #""/boats?limit=PLACE""#, last: "null",
      places: ["500", "100&after=b"], rows: 4),
    KnownService(
      "two walks in turn, past every cache", #"paging: page number by query "page", from 1"#, "rows: the document itself", "key: id",
      "title: name", "8 on 4", at: "/boats?PLACE&_=170000000000INDEX", "ROWS",
      places: ["q=a&page=1", "q=b&page=1", "q=a&page=2", "q=b&page=2"], rows: 8),
    KnownService(
      "answers to two filters", "paging: everything in one answer", "rows: the document itself", "key: id", "title: name",
      "unfollowed: 2 recorded answers have different rows, and nothing tells how one leads to the next", "4 on 2",
      at: "/boats?state=PLACE", "ROWS", places: ["new", "old"], rows: 4),
    KnownService(
      "pages 1 and 3", #"paging: page number by query "page", from 1"#, "rows: the document itself", "key: id", "title: name", "4 on 2"
    ) {
      try $0.get("/boats?page=1", boats(0..<2))
      try $0.get("/boats?page=3", boats(4..<6))
    },
  ]
}
