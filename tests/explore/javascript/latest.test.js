import assert from "node:assert/strict";
import { test } from "node:test";
import { Latest } from "../../../src/bandsvm/explore/page/parts/connection.js";

/** Returns a connection whose answers a test gives by hand. */
function fakeConnection() {
  const asked = [];
  return {
    open: true,
    asked,
    request: (_kind, fields) => new Promise((resolve, reject) => asked.push({ fields, resolve, reject })),
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

function latest(connection) {
  const heard = { answers: [], errors: [], busy: [] };
  const asking = new Latest(connection, "play.fit", "play", {
    onAnswer: (answer) => heard.answers.push(answer),
    onError: (error) => heard.errors.push(error.message),
    onBusy: (isBusy) => heard.busy.push(isBusy),
  });
  return { asking, heard };
}

test("what is asked meanwhile waits, and only the newest of it is sent", async () => {
  const connection = fakeConnection();
  const { asking, heard } = latest(connection);
  for (const C1 of [1, 2, 3]) asking.ask({ C1 });
  assert.equal(connection.asked.length, 1);
  connection.asked[0].resolve("first");
  await turn();
  assert.deepEqual(connection.asked.map(({ fields }) => fields.C1), [1, 3]);
  connection.asked[1].resolve("last");
  await turn();
  assert.deepEqual(heard.answers, ["first", "last"]);
  assert.equal(heard.busy.at(-1), false);
});

test("an answer that takes long makes way, and is not shown when it comes late", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const connection = fakeConnection();
  const { asking, heard } = latest(connection);
  asking.ask({ C1: 1 });
  asking.ask({ C1: 2 });
  context.mock.timers.tick(200);
  assert.equal(connection.asked.length, 2);
  connection.asked[1].resolve("newer");
  await turn();
  connection.asked[0].resolve("older");
  await turn();
  assert.deepEqual(heard.answers, ["newer"]);
});

test("errors of the newest request are heard, those of older ones are not", async () => {
  const connection = fakeConnection();
  const { asking, heard } = latest(connection);
  asking.ask({});
  connection.asked[0].reject(new Error("C1 must be positive"));
  await turn();
  assert.deepEqual(heard.errors, ["C1 must be positive"]);
  asking.ask({});
  connection.asked[1].resolve(null); // cancelled
  await turn();
  assert.deepEqual(heard.answers, []);
});
