import AggregatorCore

/// A row of the heroes' list as it comes over the wire, every field a value of its own.
struct HeroRow {
  struct Issue {
    let url: String
    let id: Int
    let name: String?
    let number: String
  }

  struct Publisher {
    let url: String
    let id: Int
    let name: String
  }

  struct Image {
    let icon, medium, screen, screenLarge, small, superSize, thumb, tiny, original, tags: String?
  }

  let aliases: String?
  let url: String
  let issueCount: Int
  let added: String
  let updated: String
  let deck: String?
  let firstIssue: Issue?
  let gender: Int
  let id: Int
  let image: Image
  let name: String
  let publisher: Publisher?
  let realName: String?
  let page: String
}

// Each initialiser hands everything over at once: assigning the fields one after the other has the row copied in the end.
extension HeroRow {
  init(_ row: JSON) throws {
    try self.init(
      aliases: row.stringIfPresent("aliases"),
      url: row.string("api_detail_url"),
      issueCount: row.int("count_of_issue_appearances"),
      added: row.string("date_added"),
      updated: row.string("date_last_updated"),
      deck: row.stringIfPresent("deck"),
      firstIssue: row.objectIfPresent("first_appeared_in_issue").map(Issue.init),
      gender: row.int("gender"),
      id: row.int("id"),
      image: Image(row.object("image")),
      name: row.string("name"),
      publisher: row.objectIfPresent("publisher").map(Publisher.init),
      realName: row.stringIfPresent("real_name"),
      page: row.string("site_detail_url"))
  }
}

extension HeroRow.Issue {
  init(_ issue: JSON) throws {
    try self.init(
      url: issue.string("api_detail_url"),
      id: issue.int("id"),
      name: issue.stringIfPresent("name"),
      number: issue.string("issue_number"))
  }
}

extension HeroRow.Publisher {
  init(_ publisher: JSON) throws {
    try self.init(
      url: publisher.string("api_detail_url"),
      id: publisher.int("id"),
      name: publisher.string("name"))
  }
}

extension HeroRow.Image {
  init(_ image: JSON) throws {
    try self.init(
      icon: image.stringIfPresent("icon_url"),
      medium: image.stringIfPresent("medium_url"),
      screen: image.stringIfPresent("screen_url"),
      screenLarge: image.stringIfPresent("screen_large_url"),
      small: image.stringIfPresent("small_url"),
      superSize: image.stringIfPresent("super_url"),
      thumb: image.stringIfPresent("thumb_url"),
      tiny: image.stringIfPresent("tiny_url"),
      original: image.stringIfPresent("original_url"),
      tags: image.stringIfPresent("image_tags"))
  }
}
