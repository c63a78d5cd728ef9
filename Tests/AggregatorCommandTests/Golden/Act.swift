/// Scenes of one theme, under a heading.
struct Act: Sendable {
  let title: String
  let scenes: [Scene]

  init(_ title: String, _ scenes: [Scene]) {
    self.title = title
    self.scenes = scenes
  }

  static let all = [
    commandLine, options, settings, keyFiles, noAnswer, badAnswer, keys, throttled, standIns, incomplete, records, store, files, recordings,
    pictures, authors, endings, notices,
  ]
}
