/** The setting `files.url`: the buckets and directories it can name, and its error messages. */
import { describe, expect, test } from "bun:test";
import { filesPlaceOf } from "../../core/store/objects/files-url";
import { objectUrl, signedHeaders } from "../../core/store/objects/s3-signature";

const keys = { access_key: "key", secret_key: "secret" };

test.each<[reason: string, url: string, env: Record<string, string>, address: object]>([
  [
    "Amazon's, given its region",
    "s3://reports/a/b?region=eu-west-1",
    {},
    {
      endpoint: "https://s3.eu-west-1.amazonaws.com",
      region: "eu-west-1",
      bucket: "reports",
      prefix: "a/b/",
      style: "host",
    },
  ],
  [
    "another provider's, with the bucket in the path",
    "s3://reports?endpoint=http://10.0.0.5:9000/",
    {},
    { endpoint: "http://10.0.0.5:9000", region: "us-east-1", prefix: "", style: "path" },
  ],
  [
    "another provider's, with the bucket in the host name",
    "s3://a-b?endpoint=s3.example.com&style=host",
    {},
    { style: "host" },
  ],
  ["dots in the name, which no certificate covers", "s3://a.b", {}, { style: "path" }],
  [
    "from AWS environment variables",
    "s3://reports",
    { AWS_REGION: "eu-north-1", AWS_ENDPOINT_URL_S3: "https://s3.example.com" },
    { region: "eu-north-1", endpoint: "https://s3.example.com" },
  ],
])("a bucket: %s", (_reason, url, env, address) => {
  expect(filesPlaceOf({ url, ...keys }, env)).toMatchObject({ kind: "bucket", address });
});

test.each<[reason: string, settings: object, env: Record<string, string>, key: string]>([
  [
    "from the settings",
    keys,
    { AWS_ACCESS_KEY_ID: "a", AWS_SESSION_TOKEN: "t" },
    "key/secret/null",
  ],
  [
    "from the AWS variables",
    {},
    { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b", AWS_SESSION_TOKEN: "t" },
    "a/b/t",
  ],
])("credentials %s", (_reason, settings, env, key) => {
  const place = filesPlaceOf({ url: "s3://reports", ...settings }, env) as any;
  const { access_key, secret_key, session_token } = place.credentials;
  expect(`${access_key}/${secret_key}/${session_token}`).toBe(key);
});

test("a directory", () => {
  expect(filesPlaceOf({ url: "file:///mnt/my%20files" }, {})).toEqual({
    kind: "directory",
    path: "/mnt/my files",
  });
});

describe("is refused with a reason:", () => {
  test.each<[reason: string, url: string, settings: object, said: RegExp]>([
    ["an unknown scheme", "https://s3.example.com/b", keys, /must start with s3:\/\//],
    ["no bucket", "s3://", keys, /has no valid bucket/],
    ["a key in the URL", "s3://key:secret@bucket", keys, /files\.access_key and files\.secret_key/],
    [
      "a misspelled parameter",
      "s3://bucket?endpint=x",
      keys,
      /unknown parameter "endpint". Known are endpoint, region/,
    ],
    ["dot segments", "s3://bucket/a/../b", keys, /\. or \.\. in its prefix/],
    ["an invalid endpoint", "s3://bucket?endpoint=ftp://x", keys, /invalid endpoint/],
    ["an unknown style", "s3://bucket?style=dns", keys, /invalid style/],
    ["no secret", "s3://bucket", { access_key: "key" }, /files\.secret_key is not set/],
    ["no key", "s3://bucket", {}, /files\.access_key is not set/],
    ["a relative directory", "file://mnt/x", {}, /file:\/\/\/ and the path/],
  ])("%s", (_reason, url, settings, message) => {
    expect(() => filesPlaceOf({ url, ...settings }, {})).toThrow(message);
  });
});

test("a request is signed as in the example of Amazon's documentation", () => {
  const address = {
    endpoint: "https://s3.amazonaws.com",
    region: "us-east-1",
    bucket: "examplebucket",
    prefix: "",
    style: "host",
  } as const;
  const url = objectUrl(address, "", { prefix: "J", "max-keys": "2" });
  expect(url.href).toBe("https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J");
  const { authorization } = signedHeaders(
    {
      method: "GET",
      url,
      body_sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      now: new Date("2013-05-24T00:00:00Z"),
    },
    address,
    {
      access_key: "AKIAIOSFODNN7EXAMPLE",
      secret_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      session_token: null,
    },
  );
  expect(authorization).toEndWith(
    "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  );
});
