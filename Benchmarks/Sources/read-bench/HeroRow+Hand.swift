import AggregatorCore

extension HeroRow {
  /// Reads a row without declared fields: what they cost is measured against this.
  init(byHand json: JSON) throws {
    aliases = try json.stringIfPresent("aliases")
    url = try json.string("api_detail_url")
    issueCount = try json.int("count_of_issue_appearances")
    added = try json.string("date_added")
    updated = try json.string("date_last_updated")
    deck = try json.stringIfPresent("deck")
    firstIssue = try json.objectIfPresent("first_appeared_in_issue").map(Issue.init(byHand:))
    gender = try json.int("gender")
    id = try json.int("id")
    image = try Image(byHand: json.object("image"))
    name = try json.string("name")
    publisher = try json.objectIfPresent("publisher").map(Publisher.init(byHand:))
    realName = try json.stringIfPresent("real_name")
    page = try json.string("site_detail_url")
  }
}

extension HeroRow.Issue {
  fileprivate init(byHand json: JSON) throws {
    url = try json.string("api_detail_url")
    id = try json.int("id")
    name = try json.stringIfPresent("name")
    number = try json.string("issue_number")
  }
}

extension HeroRow.Publisher {
  fileprivate init(byHand json: JSON) throws {
    url = try json.string("api_detail_url")
    id = try json.int("id")
    name = try json.string("name")
  }
}

extension HeroRow.Image {
  fileprivate init(byHand json: JSON) throws {
    icon = try json.stringIfPresent("icon_url")
    medium = try json.stringIfPresent("medium_url")
    screen = try json.stringIfPresent("screen_url")
    screenLarge = try json.stringIfPresent("screen_large_url")
    small = try json.stringIfPresent("small_url")
    superSize = try json.stringIfPresent("super_url")
    thumb = try json.stringIfPresent("thumb_url")
    tiny = try json.stringIfPresent("tiny_url")
    original = try json.stringIfPresent("original_url")
    tags = try json.stringIfPresent("image_tags")
  }
}
