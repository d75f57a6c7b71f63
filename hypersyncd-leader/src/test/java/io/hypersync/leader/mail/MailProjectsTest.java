package io.hypersync.leader.mail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** To which project a path belongs. */
final class MailProjectsTest {
  private static final List<String> MOUNTS = List.of("/ws/team", "/mnt/team");

  @Test
  void thePathsOfAWorkspaceThatIsOneProject() {
    MailProjects projects = new MailProjects(List.of("/ws/team"), MOUNTS);
    assertEquals("/ws/team", of(projects, "src/f"));
    assertEquals("/ws/team", of(projects, "f"));
    assertEquals("/ws/team", of(projects, ""), "a path that nobody knows is in the only project");
  }

  @Test
  void theInnermostProjectCountsUnderWhateverNameOfTheMount() {
    MailProjects projects =
        new MailProjects(List.of("/ws/team", "/mnt/team/pay", "/ws/team/pay/api"), MOUNTS);
    assertEquals("/ws/team/pay/api", of(projects, "pay/api/f"));
    assertEquals("/mnt/team/pay", of(projects, "pay/f"));
    assertEquals("/ws/team", of(projects, "payments/f"));
    assertNull(of(projects, ""), "which one is not known");
  }

  @Test
  void whatIsInNoProject() {
    MailProjects projects = new MailProjects(List.of("/ws/team/pay"), MOUNTS);
    assertNull(of(projects, "web/f"));
    assertNull(of(new MailProjects(List.of("/elsewhere"), MOUNTS), "f"));
  }

  private static String of(MailProjects projects, String path) {
    return projects.of(path.getBytes(StandardCharsets.UTF_8));
  }
}
