"""account and calibrate from outside: every malformed request ends with its exit code and one line that names it."""

import json
import math
import tempfile
import unittest
from pathlib import Path

from program import ProgramTest, run

GAUSSIAN = {"event": "gaussian", "noise_multiplier": 2, "count": 10}
MIXTURE = {"event": "mixture", "p": {"means": [0, 1], "weights": [0.5, 0.5]}, "q": {"means": [0], "weights": [1]},
           "noise_multiplier": 1}
TIME = {"event": "time_subsampling", "participation": 4, "rate": 0.1, "noise_multiplier": 2}
TRAINING = {"event": "structured_subsampling", "series": 100, "length": 744, "context_length": 48, "forecast_length": 24,
            "batch_size": 10, "noise_multiplier": 1}


def text(event, **changes):
    return json.dumps({**event, **changes})


class Account(ProgramTest):
    def refused(self, mention, event, *arguments):
        self.assert_fails(2, mention, "account", event, *(arguments or ("--delta", "1e-6")))

    def test_json_that_is_none_is_refused(self):
        for broken in ("{", "{}}", "[]", "1", "null", '"gaussian"', '{"event": "gaussian",}', '{"event": "\\ud800"}'):
            with self.subTest(broken):
                self.refused("", broken)

    def test_bytes_that_are_no_text_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "event.json"
            path.write_bytes(b'{"event": "\xff\xfe"}')
            self.refused("", f"@{path}")

    def test_nesting_without_end_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "event.json"
            for deep in ("[" * 200000, '{"event":"compose","events":[' * 50000, '{"a":' * 200000):
                path.write_text(deep, encoding="utf-8")
                self.refused("", f"@{path}")

    def test_an_unknown_event_is_refused_by_name(self):
        self.refused("gausian", '{"event": "gausian", "noise_multiplier": 1}')
        self.refused("event", '{"noise_multiplier": 1}')

    def test_an_unknown_field_is_refused_by_name(self):
        self.refused("noise", text(GAUSSIAN, noise=3))
        self.refused("rate", text(GAUSSIAN, rate=0.5))

    def test_a_missing_field_is_refused_by_name(self):
        self.refused("noise_multiplier", '{"event": "gaussian"}')
        self.refused("participation", '{"event": "time_subsampling", "rate": 0.1, "noise_multiplier": 1}')

    def test_a_field_of_the_wrong_kind_is_refused_by_name(self):
        for value in ("2", None, [2], {"a": 2}, True):
            with self.subTest(value):
                self.refused("noise_multiplier", text(GAUSSIAN, noise_multiplier=value))

    def test_noise_must_be_finite_and_positive(self):
        for value in ("0", "-1", "-0.0", "1e999", "NaN", "Infinity"):
            with self.subTest(value):
                self.refused("", f'{{"event": "gaussian", "noise_multiplier": {value}}}')

    def test_a_probability_lies_between_zero_and_one(self):
        for value in (-0.1, 1.1, 1e300):
            with self.subTest(value):
                self.refused("rate", text(TIME, rate=value))

    def test_delta_lies_between_zero_and_one(self):
        for value in ("-1e-9", "0", "1", "2", "nan", "inf", "-inf", "1e999", "word", ""):
            with self.subTest(value):
                self.refused("delta", text(GAUSSIAN), "--delta", value)

    def test_epsilon_is_finite_and_not_negative(self):
        for value in ("-1", "nan", "inf", "1e999", "word"):
            with self.subTest(value):
                self.refused("epsilon", text(GAUSSIAN), "--epsilon", value)

    def test_counts_are_whole_positive_and_below_two_to_the_63(self):
        for value in ("0", "-1", "1.5", "9223372036854775808", "18446744073709551616", "1e19", "1e300"):
            with self.subTest(value):
                self.refused("count", f'{{"event": "gaussian", "noise_multiplier": 1, "count": {value}}}')

    def test_lists_that_are_empty_are_refused_by_name(self):
        self.refused("events", '{"event": "compose", "events": []}')
        self.refused("length", text(TRAINING, length=[]))
        self.refused("means", text(MIXTURE, p={"means": [], "weights": []}))

    def test_weights_sum_to_one_and_are_not_negative(self):
        for weights in ([0.5, 0.4], [0.6, 0.6], [1.5, -0.5], [1]):
            with self.subTest(weights):
                self.refused("weights", text(MIXTURE, p={"means": [0, 1], "weights": weights}))

    def test_training_that_does_not_fit_its_series_is_refused_by_name(self):
        self.refused("batch_size", text(TRAINING, batch_size=0))
        self.refused("forecast_length", text(TRAINING, forecast_length=745))
        self.refused("series", text(TRAINING, series=0))
        self.refused("top_level", text(TRAINING, top_level="sometimes"))
        self.refused("unit", text(TRAINING, unit="household"))

    def test_a_file_that_is_not_there_is_a_storage_error(self):
        self.assert_fails(5, "/nowhere/event.json", "account", "@/nowhere/event.json", "--delta", "1e-6")

    def test_a_question_must_be_asked(self):
        self.assert_fails(2, "--delta", "account", text(GAUSSIAN))

    def test_an_event_comes_inline_from_a_file_from_stdin_or_by_name(self):
        inline = self.assert_json("account", text(GAUSSIAN), "--delta", "1e-6")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "event.json"
            path.write_text(text(GAUSSIAN), encoding="utf-8")
            self.assertEqual(self.assert_json("account", f"@{path}", "--delta", "1e-6"), inline)
        self.assertEqual(self.assert_json("account", "-", "--delta", "1e-6", stdin=text(GAUSSIAN)), inline)
        self.assertEqual(self.assert_json("account", "gaussian", "--noise-multiplier", "2", "--count", "10", "--delta",
                                          "1e-6"), inline)

    def test_a_price_has_both_bounds_and_says_what_it_is(self):
        price = self.assert_json("account", text(GAUSSIAN), "--delta", "1e-6")
        self.assertLessEqual(price["epsilon_lower"], price["epsilon"])
        self.assertEqual(price["analysis"], "certified")
        self.assertIn(price["certificate"], {"exact", "upper bound"})
        # A Gaussian composed ten times is one Gaussian with μ = √10/2 [DongRothSu19], checked against its profile.
        mu = math.sqrt(10) / 2

        def profile(epsilon):
            def phi(x):
                return math.erfc(-x / math.sqrt(2)) / 2
            return phi(mu / 2 - epsilon / mu) - math.exp(epsilon) * phi(-mu / 2 - epsilon / mu)

        self.assertLessEqual(profile(price["epsilon"]), 1e-6)
        self.assertGreaterEqual(profile(price["epsilon_lower"]), 1e-6 * (1 - 1e-6))

    def test_an_infinite_epsilon_is_null_with_a_reason(self):
        price = self.assert_json("account", '{"event": "approximate", "epsilon": 1, "delta": 1e-3}', "--delta", "1e-6")
        self.assertIsNone(price["epsilon"])
        self.assertTrue(price["reason"])

    def test_the_largest_count_fits_and_one_more_does_not(self):
        limits = ("--epsilon", "2", "--delta", "1e-6")
        count = self.assert_json("account", '{"event": "gaussian", "noise_multiplier": 20}', *limits, "--max-count")["count"]
        for extra, fits in ((0, True), (1, False)):
            event = json.dumps({"event": "gaussian", "noise_multiplier": 20, "count": count + extra})
            price = self.assert_json("account", event, "--delta", "1e-6")
            self.assertEqual(price["epsilon_lower" if extra else "epsilon"] <= 2, fits)


class Calibrate(ProgramTest):
    def test_the_noise_found_is_within_the_budget_and_not_wasteful(self):
        answer = self.assert_json("calibrate", '{"event": "gaussian", "count": 10}', "--epsilon", "1", "--delta", "1e-6")
        self.assertLessEqual(answer["epsilon"], 1)
        event = json.dumps({"event": "gaussian", "count": 10, "noise_multiplier": answer["noise_multiplier"]})
        price = self.assert_json("account", event, "--delta", "1e-6")
        self.assertLessEqual(price["epsilon"], 1)
        self.assertGreater(price["epsilon"], 0.99)

    def test_both_limits_are_required(self):
        self.assert_fails(2, "--delta", "calibrate", "gaussian", "--epsilon", "1")
        self.assert_fails(2, "--epsilon", "calibrate", "gaussian", "--delta", "1e-6")

    def test_limits_out_of_range_are_refused_by_name(self):
        for arguments, mention in ((("--epsilon", "-1", "--delta", "1e-6"), "epsilon"),
                                   (("--epsilon", "nan", "--delta", "1e-6"), "epsilon"),
                                   (("--epsilon", "1", "--delta", "1"), "delta"),
                                   (("--epsilon", "1", "--delta", "-0.1"), "delta")):
            with self.subTest(arguments):
                self.assert_fails(2, mention, "calibrate", "gaussian", *arguments)


class MovesInTime(ProgramTest):
    """What hides when: certified over sets, the paper's number beside it."""

    def test_a_price_says_over_what_it_holds_and_what_the_paper_says(self):
        price = self.assert_json("account", "ranswitch", "--window", "10", "--stay", "0.4", "--epsilon", "2")
        self.assertEqual((price["definition"], price["relation"], price["unit"], price["window"]),
                         ("TLDP", "swap", "event", 10))
        self.assertEqual(price["certificate"], "exact")
        self.assertAlmostEqual(price["delta"], 0.462559, places=6)
        self.assertAlmostEqual(price["nominal_delta"], 0.6 / 9)
        self.assertLess(price["nominal_epsilon"], 2)
        words = run("account", "ranswitch", "--window", "10", "--stay", "0.4", "--epsilon", "2").stdout
        self.assertIn("TLDP over sets", words)
        self.assertIn("not differential privacy", words)

    def test_epsilon_at_delta_and_how_often(self):
        price = self.assert_json("account", "ranswitch", "--window", "10", "--stay", "0.4", "--delta", "0.5")
        self.assertAlmostEqual(price["epsilon"], 1.706989, places=6)
        none = self.assert_json("account", "ranswitch", "--window", "10", "--stay", "0.4", "--delta", "0.1")
        self.assertIsNone(none["epsilon"])
        self.assertIn("infinite", none["reason"])
        count = self.assert_json("account", "ranswitch", "--window", "10", "--stay", "0.4", "--epsilon", "2", "--delta",
                                 "0.99", "--max-count")["count"]
        self.assertEqual(count, 4)

    def test_a_published_number_is_only_given_as_such(self):
        self.assert_fails(6, "--analysis published", "account", "threshold", "--window", "4", "--threshold", "2",
                          "--epsilon", "3")
        price = self.assert_json("account", "threshold", "--window", "4", "--threshold", "2", "--delta", "0",
                                 "--analysis", "published")
        self.assertAlmostEqual(price["epsilon"], 2 * math.log(3))
        self.assertEqual(price["certificate"], "as published")
        answer = self.assert_json("calibrate", "ranswitch", "--window", "10", "--epsilon", "2", "--analysis", "published")
        self.assertAlmostEqual(answer["delta"], 0.060, places=3)
        answer = self.assert_json("calibrate", "threshold", "--window", "4", "--epsilon", "3", "--analysis", "published")
        self.assertEqual(answer["threshold"], 3)

    def test_independent_columns_have_a_published_number_too(self):
        threshold = ("account", "threshold", "--window", "4", "--threshold", "2", "--analysis", "published")
        price = self.assert_json(*threshold, "--count", "2", "--delta", "0")
        self.assertAlmostEqual(price["epsilon"], 4 * math.log(3))
        self.assertEqual(self.assert_json(*threshold, "--epsilon", "5", "--delta", "0.1", "--max-count")["count"], 2)
        answer = self.assert_json("calibrate", "ranswitch", "--window", "10", "--count", "3", "--epsilon", "6",
                                  "--analysis", "published")
        self.assertAlmostEqual(answer["delta"], 3 * 0.060, places=2)

    def test_a_swap_changes_two_values(self):
        events = [{"event": "noisy_sort", "window": 6, "epsilon": 0.5},
                  {"event": "randomized_response", "epsilon": 0.5, "values": 3}]
        both = json.dumps({"event": "compose", "events": events})
        price = self.assert_json("account", both, "--delta", "0")
        self.assertEqual(price["epsilon"], 1.5)
        self.assertEqual((price["definition"], price["relation"], price["window"]), ("TLDP", "swap", 6))
        count = self.assert_json("account", both, "--epsilon", "4.5", "--delta", "0", "--max-count")
        self.assertEqual((count["count"], count["relation"]), (3, "swap"))
        compared = self.assert_json("account", both, "--delta", "1e-6", "--compare")
        self.assertGreater(compared["epsilon_rdp"], 0.999 * compared["epsilon"])
        del events[1]["epsilon"]
        answer = self.assert_json("calibrate", json.dumps({"event": "compose", "events": events}), "--epsilon", "1.5",
                                  "--delta", "0")
        self.assertAlmostEqual(answer["event_epsilon"], 0.5, places=3)
        self.assertLessEqual(answer["epsilon"], 1.5)

    def test_a_small_epsilon_may_be_spent_many_times(self):
        sort = ("account", "noisy_sort", "--window", "10", "--delta", "1e-6")
        count = self.assert_json(*sort, "--event-epsilon", "0.001", "--epsilon", "1", "--max-count")["count"]
        self.assertGreater(count, 56032, "what is as private and no more can be had as often")
        self.assertLess(self.assert_json(*sort, "--event-epsilon", "1e-5", "--count", "1000000")["epsilon"], 0.05)

    def test_a_parameter_that_a_single_event_gives_is_replaced(self):
        ask = ("--window", "10", "--epsilon", "2", "--delta", "0.5")
        self.assertEqual(self.assert_json("calibrate", "ranswitch", "--stay", "0.9", *ask),
                         self.assert_json("calibrate", "ranswitch", *ask))

    def test_calibrate_finds_stay_and_move(self):
        answer = self.assert_json("calibrate", "ranswitch", "--window", "10", "--epsilon", "2", "--delta", "0.5")
        self.assertLessEqual(answer["epsilon"], 2)
        self.assertAlmostEqual(answer["move"], (1 - answer["stay"]) / 9)
        self.assertAlmostEqual(answer["stay"], 0.5012054378, places=8)

    def test_what_cannot_be_certified_names_the_smallest_delta(self):
        for delta in (("--delta", "1e-6"), ("--delta", "0"), ()):
            self.assert_fails(6, "the smallest possible delta is 0.432557", "calibrate", "ranswitch", "--window", "10",
                              "--epsilon", "2", *delta)
        self.assert_fails(6, "max_shift of 615 would do", "calibrate", "noisy_sort", "--window", "24", "--law",
                          "staircase", "--max-shift", "100", "--epsilon", "1", "--delta", "1e-6")

    def test_noisy_sort_is_pure(self):
        for delta in (("--delta", "0"), ()):
            answer = self.assert_json("calibrate", "noisy_sort", "--window", "24", "--epsilon", "0.7", *delta)
            self.assertEqual((answer["event_epsilon"], answer["epsilon"], answer["delta"]), (0.7, 0.7, 0))

    def test_parameters_out_of_range_are_named(self):
        for mention, *event in (("window", "ranswitch", "--window", "1", "--stay", "0.9"),
                                ("window", "staswitch", "--window", "0", "--stay", "0.9"),
                                ("stay", "ranswitch", "--window", "10", "--stay", "0.05"),
                                ("stay", "staswitch", "--window", "10", "--stay", "1"),
                                ("law", "noisy_sort", "--window", "4", "--event-epsilon", "1", "--law", "normal"),
                                ("max_shift", "noisy_sort", "--window", "4", "--event-epsilon", "1", "--max-shift", "0"),
                                ("threshold", "threshold", "--window", "4", "--threshold", "4")):
            with self.subTest(event):
                self.assert_fails(2, mention, "account", *event, "--epsilon", "1")


if __name__ == "__main__":
    unittest.main()
