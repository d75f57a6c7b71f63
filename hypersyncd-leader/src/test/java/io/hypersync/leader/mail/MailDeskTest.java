package io.hypersync.leader.mail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** In which order Agent Mail's server is asked, and what happens when it does not answer. */
final class MailDeskTest {
  private static final long S = 1_000_000_000L;
  private static final AgentMailOptions OPTIONS =
      new AgentMailOptions("http://h/", "", true, List.of("/ws"), List.of("/ws"));
  private static final MailIdentity KNOWN = new MailIdentity("QuietHarbor", "secret");

  private MailDesk desk = new MailDesk(OPTIONS, MailCursor.at(0), Map.of());
  private long nowNs = 1_000 * S;

  @Test
  void nothingIsAskedWhileThereIsNothingToTell() {
    assertNull(desk.next(nowNs));
  }

  @Test
  void aProjectIsEnsuredAndTheLeaderRegisteredBeforeTheFirstLetter() {
    hazard(1, "f");
    MailCall ensure = next("ensure_project");
    assertEquals("{\"human_key\":\"/ws\"}", ensure.arguments().toString());
    answer(ensure, "{}");
    MailCall register = next("register_agent");
    assertFalse(register.arguments().has("name"), "the server chooses one");
    assertFalse(register.arguments().has("registration_token"));
    answer(register, "{'name':'QuietHarbor','registration_token':'secret'}");
    assertEquals(1, desk.changes());
    assertEquals(Map.of("/ws", KNOWN), desk.identities());
    MailCall send = next("send_message");
    assertTrue(send.isLetter());
    JsonNode sent = send.arguments();
    assertEquals("QuietHarbor", sent.path("sender_name").asText());
    assertEquals("secret", sent.path("sender_token").asText());
    assertEquals("[\"Blue\",\"Green\"]", sent.path("to").toString());
    assertEquals("high", sent.path("importance").asText());
    assertEquals("hypersync-hazard-1", sent.path("thread_id").asText());
    assertFalse(sent.path("ack_required").asBoolean(true));
    answer(send, "{'deliveries':[{}],'count':1}");
    assertEquals(1, desk.status(nowNs).mails());
    hazard(2, "g");
    assertEquals("send_message", next().tool(), "once is enough");
  }

  @Test
  void aServerWithoutTokensGetsNone() {
    ready("{'name':'QuietHarbor'}");
    assertFalse(next("send_message").arguments().has("sender_token"));
  }

  @Test
  void afterARestartTheLeaderIsWhoItWas() {
    desk = new MailDesk(OPTIONS, MailCursor.at(0), Map.of("/ws", KNOWN));
    hazard(1, "f");
    answer(next("ensure_project"), "{}");
    MailCall register = next("register_agent");
    assertEquals("QuietHarbor", register.arguments().path("name").asText());
    assertEquals("secret", register.arguments().path("registration_token").asText());
    answer(register, "{'name':'QuietHarbor'}");
    assertEquals(Map.of("/ws", KNOWN), desk.identities(), "the token stays");
    assertEquals(0, desk.changes());
  }

  @Test
  void aNameThatTheServerKnowsNoMoreIsGivenUp() {
    desk = new MailDesk(OPTIONS, MailCursor.at(0), Map.of("/ws", KNOWN));
    hazard(1, "f");
    answer(next("ensure_project"), "{}");
    refuse(next("register_agent"), "not found");
    MailCall again = next("register_agent");
    assertFalse(again.arguments().has("name"));
    refuse(again, "no more agents");
    assertNull(desk.next(nowNs), "the project is left alone");
    assertEquals("no more agents", desk.status(nowNs).muted().getFirst().why());
  }

  @Test
  void itRegistersNowAndThenSoThatItIsNotRetired() {
    ready("{'name':'QuietHarbor'}");
    answer(next("send_message"), "{'count':1}");
    nowNs += 7 * 3_600 * S;
    hazard(2, "g");
    assertEquals("QuietHarbor", next("register_agent").arguments().path("name").asText());
  }

  @Test
  void aServerThatIsAwayIsAskedMoreAndMoreSeldom() {
    hazard(1, "f");
    List<Long> waits = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      answered(next("ensure_project"), new CallOutcome.NotDone("nobody listens"));
      long beganNs = nowNs;
      while (desk.next(nowNs) == null) {
        nowNs += S / 2;
      }
      waits.add((nowNs - beganNs) / S);
    }
    assertEquals(List.of(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L), waits);
    assertEquals("nobody listens", desk.status(nowNs).lastError());
    answer(next("ensure_project"), "{}");
    assertEquals("", desk.status(nowNs).lastError());
    answered(next("register_agent"), new CallOutcome.NotDone("nobody listens"));
    assertEquals(S, desk.status(nowNs).waitNs(), "from the start again");
  }

  @Test
  void aLetterThatDidNotLeaveIsSentWhenTheServerIsBack() {
    ready("{'name':'QuietHarbor'}");
    answered(next("send_message"), new CallOutcome.NotDone("nobody listens"));
    assertEquals(0, desk.cursor().through(), "it counts as not sent");
    nowNs += 2 * S;
    answer(next("ensure_project"), "{}");
    answer(next("register_agent"), "{'name':'QuietHarbor'}");
    assertEquals("hypersync-hazard-1", next("send_message").arguments().path("thread_id").asText());
    assertEquals(1, desk.cursor().through(), "from the moment on at which it leaves");
  }

  @Test
  void aLetterOfWhichNobodyKnowsIsNotSentTwiceAndAServerThatHangsEatsNoMore() {
    ready("{'name':'QuietHarbor'}");
    hazard(2, "g");
    answered(next("send_message"), new CallOutcome.Unsure("no answer"));
    for (int i = 0; i < 5; i++) {
      nowNs += 60 * S;
      answered(next("ensure_project"), new CallOutcome.Unsure("no answer"));
    }
    assertEquals(1, desk.status(nowNs).uncertain());
    assertEquals(1, desk.status(nowNs).pending());
    nowNs += 60 * S;
    answer(next("ensure_project"), "{}");
    answer(next("register_agent"), "{'name':'QuietHarbor'}");
    assertEquals("hypersync-hazard-2", next("send_message").arguments().path("thread_id").asText());
  }

  @Test
  void aLetterThatIsDeliveredToNobodyIsRefused() {
    ready("{'name':'QuietHarbor'}");
    answer(next("send_message"), "{'deliveries':[],'count':0}");
    answer(next("send_message"), "{'deliveries':[],'count':0}");
    answer(next("send_message"), "{'deliveries':[{}],'count':1}");
    assertNull(desk.next(nowNs));
    assertEquals(1, desk.status(nowNs).blocked());
    assertEquals(1, desk.status(nowNs).mails());
  }

  @Test
  void withoutRoomToWriteDownNothingIsSent() {
    ready("{'name':'QuietHarbor'}");
    assertNotNull(next("send_message"));
    desk.notWritten("no space", nowNs);
    assertEquals(0, desk.cursor().through());
    assertNull(desk.next(nowNs));
    nowNs += 2 * S;
    assertNotNull(next("send_message"));
  }

  @Test
  void aRegistrationWithoutANameIsNoAnswer() {
    hazard(1, "f");
    answer(next("ensure_project"), "{}");
    answer(next("register_agent"), "'done'");
    assertNull(desk.next(nowNs));
    assertEquals("it registers the leader under no name", desk.status(nowNs).lastError());
  }

  private void ready(String registration) {
    hazard(1, "f");
    answer(next("ensure_project"), "{}");
    answer(next("register_agent"), registration);
  }

  private void hazard(long index, String path) {
    desk.logged(Logged.overlap(index, "Blue", "Green", path), nowNs);
  }

  private MailCall next() {
    MailCall call = desk.next(nowNs);
    assertNotNull(call);
    return call;
  }

  private MailCall next(String tool) {
    MailCall call = next();
    assertEquals(tool, call.tool());
    return call;
  }

  private void answer(MailCall call, String json) {
    answered(call, new CallOutcome.Answered(json(json.replace('\'', '"'))));
  }

  private static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text);
    } catch (JsonProcessingException e) {
      return JsonNodeFactory.instance.textNode(text);
    }
  }

  private void refuse(MailCall call, String why) {
    answered(call, new CallOutcome.Refused(why));
  }

  private void answered(MailCall call, CallOutcome outcome) {
    desk.answered(call, outcome, nowNs);
  }
}
