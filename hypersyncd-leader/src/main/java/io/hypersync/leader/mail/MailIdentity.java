package io.hypersync.leader.mail;

/**
 * Who the leader is in a project of Agent Mail.
 *
 * @param name as the server has chosen it
 * @param token which the server wants with each call; empty if it wants none
 */
public record MailIdentity(String name, String token) {
  /** Everything but the token. */
  @Override
  public String toString() {
    return "MailIdentity[" + name + "]";
  }
}
