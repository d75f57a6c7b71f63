package io.hypersync.cli.doctor;

/**
 * What can be wrong on a host. The codes are stable: programs may rely on them, and {@code
 * docs/doctor.md} has a row for each. A code is never used for something else.
 */
public enum Trouble {
  DAEMON_SILENT(
      "HS101",
      Severity.ERROR,
      "A daemon listens and does not answer, so nobody knows how it is.",
      "Look into its log. If it stays so, end it and start it again."),
  SOCKET_LEFT(
      "HS102",
      Severity.WARNING,
      "A daemon has died and left its admin socket behind.",
      "Start it again, or remove the socket: hypersync doctor --fix"),
  VERSIONS_DIFFER(
      "HS103",
      Severity.WARNING,
      "A daemon runs another build than this command, so what was mended may not be in effect.",
      "Restart it: hypersync worker restart, or stop and start the leader."),
  NOT_LOOKED_AT(
      "HS104",
      Severity.WARNING,
      "What could not be looked at may be wrong, too.",
      "Look again as the user who runs the daemon, or as root: sudo hypersync doctor"),
  MOUNT_WITHOUT_WORKER(
      "HS201",
      Severity.ERROR,
      "No daemon that answers here serves this mount. Programs in it get errors, or wait.",
      "Start its worker again: hypersync worker. Or take it away: hypersync umount <dir>"),
  MOUNT_SHADOWED(
      "HS202",
      Severity.ERROR,
      "Something is mounted over the workspace. Programs write there, and nobody else sees it.",
      "Unmount what is on top: umount <dir>"),
  NOT_MOUNTED(
      "HS203",
      Severity.ERROR,
      "A worker says that its workspace is not mounted, so programs find an empty folder.",
      "hypersync status says what it waits for."),
  READ_ONLY(
      "HS204",
      Severity.ERROR,
      "The mount refuses changes (EROFS), since it is not sure of the leader.",
      "Is the leader running, and its UDP port reachable from here? hypersync status says why."),
  STOPPED_APPLYING(
      "HS205",
      Severity.ERROR,
      "A worker cannot apply an entry of the log, so it shows an old state.",
      "Mostly its disk is full: make room, then start it again."),
  FAR_BEHIND(
      "HS206",
      Severity.WARNING,
      "What is shown is old: agents work on what others have changed already.",
      "hypersync status says how fast it catches up; look at the host's load and network."),
  WORKER_REFUSED(
      "HS207",
      Severity.ERROR,
      "The leader has refused a worker: it has diverged, or two hosts use one token.",
      "hypersync status names it. Diverged: docs/diverged.md. Duplicate: a token for each host."),
  DISK_NEARLY_FULL(
      "HS301",
      Severity.WARNING,
      "When the disk is full, calls that write end with ENOSPC.",
      "hypersync gc says what takes the space; the daemon's folder is named above."),
  SNAPSHOT_FAILED(
      "HS302",
      Severity.WARNING,
      "Without new snapshots the log grows, and a start takes longer.",
      "hypersync snapshot says why it fails; mostly the disk is full."),
  COLLECTION_FAILED(
      "HS303",
      Severity.WARNING,
      "Dead content is not removed, so the disk fills up.",
      "hypersync gc --run says why it fails."),
  CONTENT_LOST(
      "HS304",
      Severity.ERROR,
      "Stored content has rotted, and no connected worker has it.",
      "hypersync scrub names the files. Start workers that are away: one may have it."),
  OLD_PIN(
      "HS305",
      Severity.WARNING,
      "A pin keeps content that nothing else needs, for more than a week.",
      "If nobody needs it: hypersync snapshot unpin, or umount the state of the past."),
  SECRET_READABLE(
      "HS401",
      Severity.ERROR,
      "Whoever reads this can read the workspace or its metrics, or join it.",
      "Close it to others: hypersync doctor --fix"),
  CERTIFICATE_ENDS(
      "HS402",
      Severity.WARNING,
      "When a certificate has ended, whoever shows it is not let in, or not believed.",
      "Give the worker a new token: docs/certificates.md. Of the leader: the same page."),
  FEW_OPEN_FILES(
      "HS501",
      Severity.WARNING,
      "A daemon that has no descriptors left can neither serve nor store.",
      "Raise the limit before it is started: ulimit -n 65536, or LimitNOFILE=65536 in its unit."),
  MEMORY_GROUP_NEARLY_FULL(
      "HS502",
      Severity.WARNING,
      "The kernel ends a process of a control group that is full, perhaps the daemon.",
      "Raise the group's memory.max, or run agents in another group."),
  NO_FUSE(
      "HS503",
      Severity.ERROR,
      "Without /dev/fuse nothing can be mounted.",
      "modprobe fuse; in a container: --device /dev/fuse --cap-add SYS_ADMIN"),
  CACHE_ON_MOUNT(
      "HS601",
      Severity.WARNING,
      "A cache on the workspace is replicated to every host, and slow.",
      "Take the environment of hypersync env, or start agents by hypersync exec."),
  INVARIANT_BROKEN("HS901", Severity.ERROR, "This is a bug.", "Keep the logs, and report it.");

  private final String code;
  private final Severity severity;
  private final String why;
  private final String remedy;

  /** How bad it is. */
  public enum Severity {
    /** It works, but not as it should. */
    WARNING,
    /** Somebody cannot work, or may lose something. */
    ERROR
  }

  Trouble(String code, Severity severity, String why, String remedy) {
    this.code = code;
    this.severity = severity;
    this.why = why;
    this.remedy = remedy;
  }

  /** The stable code. */
  public String code() {
    return code;
  }

  /** How bad it is. */
  public Severity severity() {
    return severity;
  }

  /** Why it matters, for people. */
  public String why() {
    return why;
  }

  /** What to do about it, for people. */
  public String remedy() {
    return remedy;
  }
}
