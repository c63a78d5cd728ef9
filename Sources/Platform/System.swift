// Every file that needs the system imports it here.
#if canImport(Darwin)
  @_exported public import Darwin
#elseif canImport(Musl)
  @_exported public import Musl
#else
  @_exported public import Glibc
#endif
// Where the toolchain puts `timespec` once another C module is imported.
#if canImport(SwiftOverlayShims)
  @_exported public import SwiftOverlayShims
#endif
