package io.hypersync.leader.leadership;

/** The processes of this host. */
public interface HostProcesses {
  /**
   * Whether a process with this id is alive. True if that cannot be found out, as for a process of
   * another user: nobody is to be robbed of a claim for that.
   */
  boolean isAlive(long pid);
}
