package io.hypersync.leader.mail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.text.Printable;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What answers of Agent Mail's servers say, and what everything else does. */
final class RpcAnswersTest {
  private static final String JSON = "application/json";

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          structured content    | {'id':7,'result':{'structuredContent':{'name':'a'},'content':[{'text':'other'}]}} | Answered {'name':'a'}
          a wrapped list        | {'id':7,'result':{'structuredContent':{'result':[1,2]}}}                          | Answered [1,2]
          text only             | {'id':7,'result':{'content':[{'type':'text','text':'{\\'name\\':\\'a\\'}'}]}} | Answered {'name':'a'}
          text that is no JSON  | {'id':7,'result':{'content':[{'text':'done'}],'isError':false}}                   | Answered 'done'
          an error as a result  | {'id':7,'result':{'isError':true,'content':[{'text':'CONTACT_REQUIRED: ask'}]}}   | Refused CONTACT_REQUIRED: ask
          an error of JSON-RPC  | {'id':7,'error':{'code':-32602,'message':'Unknown agent'}}                        | Refused Unknown agent
          an error without id   | {'id':null,'error':{'code':-32700,'message':'Parse error'}}                       | Refused Parse error
          another question's    | {'id':8,'result':{'structuredContent':{}}}                                        | Unsure it answers another question
          no result             | {'id':7}                                                                          | Unsure it answers without a result
          a list                | [1]                                                                               | Unsure it answers with something that is no JSON-RPC
          half an answer        | {'id':7,'result':{                                                                | Unsure it answers with something that is no JSON-RPC
          two answers           | {'id':7,'result':{}} {'id':7}                                                     | Unsure it answers with something that is no JSON-RPC
          """)
  void whatAnAnswerSays(String what, String body, String expected) {
    assertEquals(expected.replace('\'', '"'), said(200, JSON, body.replace('\'', '"')), what);
  }

  @ParameterizedTest(name = "HTTP {0}, {1}")
  @CsvSource({
    "401, application/json, NotDone it answers with HTTP 401: set hypersync.agent_mail.token_file",
    "403, text/html,        NotDone it answers with HTTP 403: set hypersync.agent_mail.token_file",
    "404, text/html,        NotDone it answers with HTTP 404",
    "307, text/html,        NotDone it answers with HTTP 307",
    "429, application/json, NotDone it answers with HTTP 429",
    "500, application/json, Unsure it answers with HTTP 500",
    "502, text/html,        Unsure it answers with HTTP 502",
    "200, text/html,        'Unsure it answers with text/html, not JSON'",
  })
  void whatOtherAnswersMean(int status, String type, String expected) {
    assertEquals(expected, said(status, type, "{}"));
  }

  @Test
  void anEventStreamHasTheAnswerAmongOthers() {
    String stream =
        String.join(
            "\r\n",
            ": ping",
            "",
            "event: message",
            "data: {\"method\":\"progress\"}",
            "",
            "data: {\"id\":7,",
            "data: \"result\":{\"structuredContent\":{\"a\":1}}}",
            "",
            "");
    assertEquals("Answered {\"a\":1}", said(200, "text/event-stream; charset=utf-8", stream));
    assertEquals(
        "Unsure it answers with something that is no JSON-RPC",
        said(200, "text/event-stream", "data: {\"id\":8}\n\n"));
  }

  @Test
  void aResourceIsTheTextOfItsContents() {
    String body = "{\"id\":7,\"result\":{\"contents\":[{\"text\":\"[{\\\"id\\\":1}]\"}]}}";
    CallOutcome outcome = RpcAnswers.resource(200, JSON, bytes(body), 7);
    assertEquals("Answered [{\"id\":1}]", said(outcome));
  }

  @Test
  void whatAServerSaysIsShortAndHarmless() {
    String hostile = "\u001b[31m" + "x".repeat(10_000) + "\n";
    String body =
        "{\"id\":7,\"error\":{\"message\":\"" + "\\u001b[31m\\n" + "x".repeat(10_000) + "\"}}";
    CallOutcome.Refused refused =
        assertInstanceOf(CallOutcome.Refused.class, RpcAnswers.tool(200, JSON, bytes(body), 7));
    assertTrue(refused.why().length() < 700, () -> refused.why().length() + " characters");
    assertTrue(Printable.isPlain(refused.why()));
    String type = said(200, hostile, "{}");
    assertTrue(type.length() < 700 && Printable.isPlain(type));
  }

  @Test
  void damagedAnswersAreOutcomesAndNeverExceptions() {
    byte[] whole =
        bytes("{\"id\":7,\"result\":{\"structuredContent\":{\"name\":\"a\"},\"content\":[{}]}}");
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 5_000; i++) {
      byte[] damaged = whole.clone();
      for (int j = 0; j <= random.nextInt(4); j++) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      }
      assertNotNull(RpcAnswers.tool(200, JSON, damaged, 7));
      assertNotNull(RpcAnswers.resource(200, "text/event-stream", damaged, 7));
    }
    assertNotNull(RpcAnswers.tool(200, JSON, bytes("[".repeat(100_000)), 7));
  }

  private static String said(int status, String type, String body) {
    return said(RpcAnswers.tool(status, type, bytes(body), 7));
  }

  private static String said(CallOutcome outcome) {
    return switch (outcome) {
      case CallOutcome.Answered(var value) -> "Answered " + value;
      case CallOutcome.Refused(String why) -> "Refused " + why;
      case CallOutcome.NotDone(String why) -> "NotDone " + why;
      case CallOutcome.Unsure(String why) -> "Unsure " + why;
    };
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
