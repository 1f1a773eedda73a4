/** Publish and subscribe within a process: who receives which messages. */
import { expect, test } from "bun:test";
import { LocalNotifier, topic } from "../../core/base/notifier";

const Words = topic<string>("test.words");
const Numbers = topic<number>("test.numbers");

test("a message reaches only the subscribers of its topic and key", () => {
  const notifier = new LocalNotifier();
  const heard: string[] = [];
  notifier.subscribe(Words, ["a"], (word) => heard.push(`a hears ${word}`));
  notifier.subscribe(Words, ["a", "b"], (word) => heard.push(`a or b hears ${word}`));
  notifier.subscribe(Words, "all", (word, here) => heard.push(`all hears ${word} ${here}`));
  notifier.subscribe(Numbers, "all", (number) => heard.push(`${number}`));
  notifier.publish(Words, "b", "one");
  notifier.publish(Words, "a", "two");
  notifier.publish(Words, "c", "three");
  expect(heard).toEqual([
    "a or b hears one",
    "all hears one true",
    "a hears two",
    "a or b hears two",
    "all hears two true",
    "all hears three true",
  ]);
});

test("an ended subscription receives nothing and leaves nothing behind", () => {
  const notifier = new LocalNotifier();
  const heard: string[] = [];
  const hear = (word: string) => void heard.push(word);
  const ends = [
    notifier.subscribe(Words, ["a", "b"], hear),
    notifier.subscribe(Words, ["a"], hear),
    notifier.subscribe(Words, "all", hear),
  ];
  expect(notifier.subscriptions).toBe(3);
  ends[0]!();
  notifier.publish(Words, "a", "again");
  expect([heard.length, notifier.subscriptions]).toEqual([2, 2]);
  for (const end of ends) end();
  notifier.publish(Words, "a", "never");
  expect([heard.length, notifier.subscriptions]).toEqual([2, 0]);
});

test("unsubscribing during delivery does not keep the message from others", () => {
  const notifier = new LocalNotifier();
  const heard: number[] = [];
  const end = notifier.subscribe(Numbers, ["a"], () => end());
  notifier.subscribe(Numbers, ["a"], (number) => heard.push(number));
  notifier.publish(Numbers, "a", 1);
  expect(heard).toEqual([1]);
});
