package io.hypersync.leader.mail;

import java.util.List;

/**
 * How the mail goes, for reports. Counts are since the leader's start.
 *
 * @param mails letters that have arrived
 * @param digests those of them that tell of several paths
 * @param coalesced hazards that are told by a letter about an earlier one
 * @param dropped hazards that are not mailed: too many, or too old
 * @param blocked recipients who were not told, because the server has refused it
 * @param uncertain letters of which nobody knows whether they have arrived
 * @param nobody hazards of which neither agent has a name
 * @param elsewhere hazards in none of the projects
 * @param pending pairs of agents and paths that wait
 * @param waitNs how long nothing is sent, because the server was not reached; 0 if it was
 * @param lastError why; empty if the last call was answered
 * @param lastMailNs how long ago the last letter has arrived; -1 if none has
 * @param muted whom nothing is sent to for a while
 * @param identities who the leader is in which project
 */
public record MailStatus(
    long mails,
    long digests,
    long coalesced,
    long dropped,
    long blocked,
    long uncertain,
    long nobody,
    long elsewhere,
    int pending,
    long waitNs,
    String lastError,
    long lastMailNs,
    List<Muted> muted,
    List<Identity> identities) {
  /**
   * Somebody who is not told.
   *
   * @param agent empty for all of the project
   * @param forNs for how long
   * @param why what the server has said
   */
  public record Muted(String project, String agent, long forNs, String why) {}

  /** The leader's name in a project. */
  public record Identity(String project, String name) {}
}
