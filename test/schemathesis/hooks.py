"""Checks of the simulated exchange that look into the body, where the interface says "no" with an HTTP status that says nothing."""

import schemathesis
from schemathesis.checks import CHECKS

REFUSED_LOG_INS = {"InvalidCredentials", "InvalidCaptcha", "InvalidUserAgent", "MissingOTP", "InvalidOTP"}


def body_of(response):
    body = response.json()
    return body if isinstance(body, dict) else {}


@schemathesis.check
def fails_in_body(ctx, response, case):
    """A request that the page refuses is refused: by its status, or with HTTP 200 and a failed body."""
    if case.operation.definition.raw.get("x-fails-in-body") is not True:
        return
    if response.status_code == 200 and (body_of(response).get("status") == "failed" or body_of(response).get("s") == "error"):
        return
    CHECKS.get_one("negative_data_rejection")(ctx, response, case)


@schemathesis.check
def reads_log_in(ctx, response, case):
    """A log-in that the page takes is read: what is refused then is the person, not the request."""
    if case.operation.definition.raw.get("operationId") != "login":
        return
    if response.status_code == 400 and body_of(response).get("code") in REFUSED_LOG_INS:
        return
    CHECKS.get_one("positive_data_acceptance")(ctx, response, case)


def has(query, name):
    return query.get(name) not in (None, "")


@schemathesis.hook
def filter_case(ctx, case):
    """OpenAPI has no words for rules between parameters: leaves out the queries that break the two rules there are."""
    query = case.query or {}
    if case.path == "/market/orders/list" and case.method == "GET":
        return not (has(query, "fromId") and has(query, "page"))
    if case.path == "/market/trades/list" and case.method == "GET":
        return has(query, "srcCurrency") == has(query, "dstCurrency")
    return True
