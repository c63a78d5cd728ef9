import AggregatorCore

/// A row of the heroes' list as the service sends it, every field a value of its own.
struct HeroRow: Part {
  var aliases: String?
  var url = ""
  var issueCount = 0
  var added = ""
  var updated = ""
  var deck: String?
  var firstIssue: Issue?
  var gender = 0
  var id = 0
  var image = Image()
  var name = ""
  var publisher: Publisher?
  var realName: String?
  var page = ""

  static let fields: [Field<HeroRow>] = [
    Field("aliases", \.aliases),
    Field("url", \.url, from: "api_detail_url"),
    Field("issueCount", \.issueCount, from: "count_of_issue_appearances"),
    Field("added", \.added, from: "date_added"),
    Field("updated", \.updated, from: "date_last_updated"),
    Field("deck", \.deck),
    Field("firstIssue", \.firstIssue, from: "first_appeared_in_issue"),
    Field("gender", \.gender),
    Field("id", \.id),
    Field("image", \.image),
    Field("name", \.name),
    Field("publisher", \.publisher),
    Field("realName", \.realName, from: "real_name"),
    Field("page", \.page, from: "site_detail_url"),
  ]

  struct Issue: Part {
    var url = ""
    var id = 0
    var name: String?
    var number = ""

    static let fields: [Field<Issue>] = [
      Field("url", \.url, from: "api_detail_url"), Field("id", \.id), Field("name", \.name),
      Field("number", \.number, from: "issue_number"),
    ]
  }

  struct Publisher: Part {
    var url = ""
    var id = 0
    var name = ""

    static let fields: [Field<Publisher>] = [
      Field("url", \.url, from: "api_detail_url"), Field("id", \.id), Field("name", \.name),
    ]
  }

  struct Image: Part {
    var icon, medium, screen, screenLarge, small, superSize, thumb, tiny, original, tags: String?

    static let fields: [Field<Image>] = [
      Field("icon", \.icon, from: "icon_url"),
      Field("medium", \.medium, from: "medium_url"),
      Field("screen", \.screen, from: "screen_url"),
      Field("screenLarge", \.screenLarge, from: "screen_large_url"),
      Field("small", \.small, from: "small_url"),
      Field("superSize", \.superSize, from: "super_url"),
      Field("thumb", \.thumb, from: "thumb_url"),
      Field("tiny", \.tiny, from: "tiny_url"),
      Field("original", \.original, from: "original_url"),
      Field("tags", \.tags, from: "image_tags"),
    ]
  }
}
