import AggregatorCore
import Pictures

extension Option {
  static let save = Option("save", takes: .required("DIR"), "put the pictures into that folder, under readable names")
  static let images = Option("images", takes: .required("DIR"), "the records' pictures too, into that folder")

  /// What every command understands that walks over records with pictures.
  static func pictures(of source: SourceDescriptor) -> [Option] { source.fields.hasPictures ? [.images] : [] }
}
