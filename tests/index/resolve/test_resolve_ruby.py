"""Ruby beyond the file."""

from __future__ import annotations

from support.claims import check_claims


def test_constants_are_found_by_the_modules_around_them() -> None:
    check_claims(
        {
            "lib/a.rb": """
                module A #= a
                  LIMIT = 1 #= limit
                  class Base #= base
                    KIND = :base #= kind
                  end
                  class String #= string
                  end
                end
                class Base #= top
                end
            """,
            "lib/b.rb": """
                module A #= a
                  class Child < Base #> Base base
                    def run
                      LIMIT #> LIMIT limit
                      KIND #> KIND kind
                      ::Base #> Base top
                      A::String #> String string
                      Hash #> Hash -
                    end
                  end
                end
                class A::Flat
                  Base #> Base top
                end
                A::Base::KIND #> Base base;KIND kind
            """,
            "ext/hash.rb": """
                class Hash
                end
            """,
        }
    )


def test_a_class_is_one_however_often_it_is_opened() -> None:
    check_claims(
        {
            "one.rb": """
                class Thing
                  def one #= one
                    two #> two two
                  end
                end
            """,
            "two.rb": """
                class Thing
                  def two #= two
                    self.one #> one one
                  end
                end
            """,
            "alternatives/a.rb": "class User < Thing\n  def name; end\nend\n",
            "alternatives/b.rb": "class User < Other\n  def name; end\nend\n",
            "use.rb": """
                Thing.new.one #> one one
                Thing.new.two #> two two
                User.new.name #> User -;name -
            """,
        }
    )


def test_messages_to_self_go_to_the_class_and_what_it_mixes_in() -> None:
    check_claims(
        {
            "mixins.rb": """
                module Loud
                  def shout; end #= shout
                end
                module Finders
                  def find_all; end #= find_all
                end
                module Tools
                  def self.sharpen; end #= sharpen
                  def helper; end #= helper
                end
                class Parent
                  def self.build(x) #= build
                    new(x).run #> run run
                  end
                  def run; end #= run
                  def shout; end #= quiet
                end
            """,
            "child.rb": """
                class Child < Parent
                  include Loud
                  extend Finders
                  attr_accessor :name #= name
                  attr_reader :other #= other
                  find_all #> find_all find_all

                  class << self
                    def make #= make
                      build(1) #> build build
                      own #> own -
                    end
                  end

                  def initialize
                    @name = 'x' #= ivar
                    @other = Child.make
                    @thing = Parent.new #= thing
                  end

                  def own #= own
                    shout #> shout shout
                    run #> run run
                    name #> name name
                    self.name = 'y' #> name name
                    @thing.run #> @thing thing;run run
                    self.class.make #> make make
                    build(1) #> build -
                    [1].each { own } #> own own
                    local = Parent.new
                    local.run #> run run
                    unknown.run #> run -
                  end

                  some_hook { own } #> own -
                end
                Child.find_all #> find_all find_all
                Child.build(2) #> build build
                Child.new.own #> own own
                Child.own #> own -
                Tools.sharpen #> sharpen sharpen
                Tools.helper #> helper helper
            """,
        }
    )


def test_what_a_method_gives() -> None:
    check_claims(
        {
            "a.rb": """
                class Engine
                  def start; end #= start
                  def self.default #= default
                    @default ||= new
                  end
                end
                class Car
                  attr_reader :engine #= engine
                  def initialize(spare = nil)
                    @engine = spare || Engine.new
                    @log = Logger.new || Engine.new
                  end
                  def motor #= motor
                    return engine if engine
                    Engine.new
                  end
                  def pick(fast)
                    if fast then Engine.new else nil end
                  end
                  def use
                    motor.start #> motor motor;start start
                    engine.start #> start start
                    @engine.start #> start start
                    pick(true).start #> start start
                    @log.start #> start -
                  end
                end
            """,
            "b.rb": """
                Engine.default.start #> default default;start start
                Car.new.engine.start #> engine engine;start start
                Car.new.tap { |c| c }.motor #> motor motor
            """,
        }
    )


def test_functions_of_a_script_and_of_a_block() -> None:
    check_claims(
        {
            "script.rb": """
                def help #= help
                end
                help #> help help
                describe 'x' do
                  def inner #= inner
                  end
                  it { inner } #> inner inner
                end
            """,
            "other.rb": "help #> help -\n",
        }
    )


def test_an_opening_for_what_lies_in_it_is_not_meant() -> None:
    check_claims(
        {
            "lib/shop/job.rb": """
                module Shop
                  module Job #= job
                    def run; end #= run
                  end
                end
            """,
            "lib/shop/job/inner.rb": """
                module Shop
                  module Job
                    class Inner; end #= inner
                  end
                end
            """,
            "app.rb": """
                class Mine
                  include Shop::Job #> Job job
                  def go; run; end #> run run
                end
                Shop::Job::Inner.new #> Job job;Inner inner
            """,
        }
    )


def test_what_is_put_into_a_variable_does_not_define_it() -> None:
    check_claims(
        {
            "lib/filter.rb": """
                module Filter
                  def start
                    @data[:on] = true #> @data -
                  end
                end
            """
        }
    )
