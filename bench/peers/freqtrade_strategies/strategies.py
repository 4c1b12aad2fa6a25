"""The strategies of the peer freqtrade, which loads them from a folder of their own."""

from datetime import datetime

import optuna
from freqtrade.strategy import CategoricalParameter, IStrategy
from pandas import DataFrame, concat
from search_grid import FAST_LENGTHS, SLOW_LENGTHS

FAST = 10
SLOW = 30
SHARE = 0.01


class Idle(IStrategy):
    timeframe = "1m"
    startup_candle_count = SLOW
    minimal_roi: dict = {}
    stoploss = -0.99

    def populate_indicators(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        return dataframe

    def populate_entry_trend(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        return dataframe

    def populate_exit_trend(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        return dataframe


class Cross(Idle):
    def populate_indicators(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        dataframe["fast"] = dataframe["close"].rolling(FAST).mean()
        dataframe["slow"] = dataframe["close"].rolling(SLOW).mean()
        return dataframe

    def populate_entry_trend(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        dataframe.loc[dataframe["fast"] > dataframe["slow"], "enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        dataframe.loc[dataframe["fast"] < dataframe["slow"], "exit_long"] = 1
        return dataframe

    def custom_stake_amount(self, current_time: datetime, **kwargs) -> float:
        return self.wallets.get_free("USDT") * SHARE


class Grid(optuna.samplers.GridSampler):
    """Each pair once. Its own end is for studies that call what they search, and freqtrade's does not."""

    def after_trial(self, study, trial, state, values):
        pass


class SearchedCross(Cross):
    """Lengths are searched. Averages of all of them are made beforehand, as the manual advises."""

    # Until there is an average, a comparison with it says no.
    startup_candle_count = 0
    fast_length = CategoricalParameter(FAST_LENGTHS, default=FAST_LENGTHS[0], space="buy")
    slow_length = CategoricalParameter(SLOW_LENGTHS, default=SLOW_LENGTHS[0], space="buy")

    class HyperOpt:
        @staticmethod
        def generate_estimator(dimensions, **kwargs):
            return Grid({"fast_length": FAST_LENGTHS, "slow_length": SLOW_LENGTHS})

    def populate_indicators(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        lengths = {*self.fast_length.range, *self.slow_length.range}
        averages = {f"average_{length}": dataframe["close"].rolling(length).mean() for length in lengths}
        return concat([dataframe, DataFrame(averages)], axis=1)

    def populate_entry_trend(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        return super().populate_entry_trend(self.with_chosen(dataframe), metadata)

    def populate_exit_trend(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        return super().populate_exit_trend(self.with_chosen(dataframe), metadata)

    def with_chosen(self, dataframe: DataFrame) -> DataFrame:
        dataframe["fast"] = dataframe[f"average_{self.fast_length.value}"]
        dataframe["slow"] = dataframe[f"average_{self.slow_length.value}"]
        return dataframe
