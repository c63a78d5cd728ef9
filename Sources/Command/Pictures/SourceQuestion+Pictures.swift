import AggregatorCore
import Asking
import Pictures
import Presentation

extension Program {
  /// Where pictures are kept between runs; nil without a place for caches.
  var pictureFolder: PictureFolder? { PictureFolder(environment: environment, clock: clock) }
}

extension SourceQuestion {
  /// The pictures there are in `world`.
  func pictures(in world: World) -> PictureCache {
    var world = world
    // A recording without what was cached could not be replayed elsewhere.
    if recording != nil { world.isInsistent = true }
    let folder = program.pictureFolder
    if folder == nil { program.notices(invocation).say("pictures are not cached: neither XDG_CACHE_HOME nor HOME names a folder") }
    return PictureCache(in: world, folder: folder)
  }

  /// An error with a picture, with what to type about it.
  func told(_ error: any Error) -> any Error {
    guard var error = error as? SourceError else { return error }
    if error.kind == .notStored, error.remedy == nil { error.remedy = .download }
    if error.kind == .timedOut, error.remedy == nil, ask.deadline != nil { error.remedy = .allowMoreTime }
    return error.from(descriptor.name).worded(for: invocation)
  }
}
