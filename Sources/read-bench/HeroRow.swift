import AggregatorCore

/// A row of the heroes' list as it comes over the wire, every field a value of its own.
struct HeroRow {
  struct Issue {
    let id: Int
    let name: String?
    let number: String
    let url: String
  }

  struct Publisher {
    let id: Int
    let name: String
    let url: String
  }

  struct Image {
    let icon, medium, screen, screenLarge, small, superSize, thumb, tiny, original, tags: String?
  }

  let id: Int
  let gender: Int
  let issueCount: Int
  let name: String
  let url: String
  let page: String
  let added: String
  let updated: String
  let deck: String?
  let aliases: String?
  let realName: String?
  let image: Image
  let firstIssue: Issue?
  let publisher: Publisher?
}

extension HeroRow {
  init(_ row: JSON) throws {
    aliases = try row.text("aliases")
    url = try row.string("api_detail_url")
    issueCount = try row.int("count_of_issue_appearances")
    added = try row.string("date_added")
    updated = try row.string("date_last_updated")
    deck = try row.text("deck")
    firstIssue = try row.objectIfPresent("first_appeared_in_issue").map(Issue.init)
    gender = try row.int("gender")
    id = try row.int("id")
    image = try Image(row.object("image"))
    name = try row.string("name")
    publisher = try row.objectIfPresent("publisher").map(Publisher.init)
    realName = try row.text("real_name")
    page = try row.string("site_detail_url")
  }
}

extension HeroRow.Issue {
  init(_ issue: JSON) throws {
    url = try issue.string("api_detail_url")
    id = try issue.int("id")
    name = try issue.text("name")
    number = try issue.string("issue_number")
  }
}

extension HeroRow.Publisher {
  init(_ publisher: JSON) throws {
    url = try publisher.string("api_detail_url")
    id = try publisher.int("id")
    name = try publisher.string("name")
  }
}

extension HeroRow.Image {
  init(_ image: JSON) throws {
    icon = try image.text("icon_url")
    medium = try image.text("medium_url")
    screen = try image.text("screen_url")
    screenLarge = try image.text("screen_large_url")
    small = try image.text("small_url")
    superSize = try image.text("super_url")
    thumb = try image.text("thumb_url")
    tiny = try image.text("tiny_url")
    original = try image.text("original_url")
    tags = try image.text("image_tags")
  }
}
