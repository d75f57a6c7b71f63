package io.hypersync.cli.top;

/** Makes the sheet of each view. */
final class Sheets {
  private Sheets() {}

  static Sheet of(View view, TopModel model) {
    return switch (view) {
      case OVERVIEW -> OverviewSheet.of(model);
      case AGENTS -> AgentsSheet.of(model);
      case CONFLICTS -> ConflictsSheet.of(model);
      case HOT -> HotSheet.of(model);
      case HOSTS -> HostsSheet.of(model);
      case LOCKS -> LocksSheet.of(model);
      case LATENCY -> LatencySheet.of(model);
      case STORAGE -> StorageSheet.of(model);
      case LOG -> LogSheet.of(model);
      case FINDINGS -> FindingsSheet.of(model);
    };
  }
}
